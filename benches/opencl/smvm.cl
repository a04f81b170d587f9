// A work-item a row; nothing is tested.
__kernel void smvm(__global const uint *restrict starts, __global const uint *restrict ends, uint rows,
                   __global const uint *restrict columns, __global const float *restrict values, uint entries,
                   __global const float *restrict x, uint nx, __global float *restrict out) {
    uint row = get_global_id(0);
    if (row >= rows) return;
    float sum = 0.0f;
    for (uint i = starts[row]; i < ends[row]; i++) sum += values[i] * x[columns[i]];
    out[row] = sum;
}
