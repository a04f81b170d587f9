// A work-item a row; each column is tested, as in the generated text, which also tells which one is none.
__kernel void smvm_tested(__global const uint *restrict starts, __global const uint *restrict ends, uint rows,
                          __global const uint *restrict columns, __global const float *restrict values, uint entries,
                          __global const float *restrict x, uint nx, __global float *restrict out) {
    uint row = get_global_id(0);
    if (row >= rows) return;
    float sum = 0.0f;
    for (uint i = starts[row]; i < min(ends[row], entries); i++) {
        uint column = columns[i];
        sum += values[i] * (column < nx ? x[column] : 0.0f);
    }
    out[row] = sum;
}
