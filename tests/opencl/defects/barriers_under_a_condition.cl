// PoCL 3.0 to 7.1 takes a barrier that need not be reached for one under a condition, and puts another barrier into a branch
// that only some items take: elements 4 and 5 are never written. Mended in 7.2.
__kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void barriers_under_a_condition(__global uint *out, uint n) {
    const uint item = get_local_id(0);
    if (n > 0u) {
        if (item < 2u) out[item] = 1u;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < 2u) out[item + 4u] = 2u;
        if (item < 3u) out[item + 8u] = 3u;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < 1u) out[item + 12u] = 4u;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
