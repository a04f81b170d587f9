// A work-item an element.
__kernel void map_plus(int k, __global const int *restrict input, uint n, __global int *restrict out) {
    uint i = get_global_id(0);
    if (i < n) out[i] = input[i] + k;
}
