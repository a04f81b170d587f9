// As fold_sum, of products.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void dot_product(__global const float *restrict x, uint nx, __global const float *restrict y, uint ny,
                 __global float *restrict out) {
    __local float sums[256];
    uint t = get_local_id(0), start = get_group_id(0) * 4096;
    float sum = 0.0f;
    for (uint i = 0; i < 16; i++) sum += x[start + t + i * 256] * y[start + t + i * 256];
    sums[t] = sum;
    for (uint half_of = 128; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < half_of) sums[t] += sums[t + half_of];
    }
    if (t == 0) out[get_group_id(0)] = sums[0];
}
