// Work-groups of 256 items sum 4096 elements: 16 an item, a stride apart, then a tree in local memory.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fold_sum(__global const float *restrict input, uint n, __global float *restrict out) {
    __local float sums[256];
    uint t = get_local_id(0), start = get_group_id(0) * 4096;
    float sum = 0.0f;
    for (uint i = 0; i < 16; i++) sum += input[start + t + i * 256];
    sums[t] = sum;
    for (uint half_of = 128; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < half_of) sums[t] += sums[t + half_of];
    }
    if (t == 0) out[get_group_id(0)] = sums[0];
}
