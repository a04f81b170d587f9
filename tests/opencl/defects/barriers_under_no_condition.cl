// barriers_under_a_condition.cl as the compiler prints it: the condition stands between the barriers.
__kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void barriers_under_no_condition(__global uint *out, uint n) {
    const uint item = get_local_id(0);
    const bool taken = n > 0u;
    if (taken) {
        if (item < 2u) out[item] = 1u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (taken) {
        if (item < 2u) out[item + 4u] = 2u;
        if (item < 3u) out[item + 8u] = 3u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (taken) {
        if (item < 1u) out[item + 12u] = 4u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
