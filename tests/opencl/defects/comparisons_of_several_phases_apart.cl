// comparisons_of_several_phases.cl with barriers as the compiler prints them: where the runtime defines SPLIT_PHASES a branch
// that no item takes stands between two phases.
#ifdef SPLIT_PHASES
#define BARRIER(fences) barrier(fences); if (item >= 64u) sums[0] = 0
#else
#define BARRIER(fences) barrier(fences)
#endif

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void comparisons_of_several_phases_apart(__global uint *out, uint n) {
    __local uint sums[64];
    const uint item = get_local_id(0);
    sums[item] = item;
    BARRIER(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 1u) != 0u ? sums[item] + 1u : sums[item] * 3u;
    BARRIER(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 2u) != 0u ? sums[item] + 2u : sums[item] * 3u;
    BARRIER(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 4u) != 0u ? sums[item] + 3u : sums[item] * 3u;
    BARRIER(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 8u) != 0u ? sums[item] + 4u : sums[item] * 3u;
    BARRIER(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 16u) != 0u ? sums[item] + 5u : sums[item] * 3u;
    BARRIER(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 32u) != 0u ? sums[item] + 6u : sums[item] * 3u;
    BARRIER(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 64u) != 0u ? sums[item] + 7u : sums[item] * 3u;
    BARRIER(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 128u) != 0u ? sums[item] + 8u : sums[item] * 3u;
    BARRIER(CLK_LOCAL_MEM_FENCE);
    out[item] = sums[item];
}
