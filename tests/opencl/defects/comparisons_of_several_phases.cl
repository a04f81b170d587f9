// PoCL before 7.0 runs LLVM's vectorisers before it makes loops over a group's items. They pack the eight comparisons into one
// vector of bits, which PoCL keeps in memory from phase to phase; LLVM before 18 reads bit k of it at byte k (VectorCombine;
// LLVM's issue 67060): `extractelement (load <8 x i1>), 6` becomes a load of one bit at six bytes behind.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void comparisons_of_several_phases(__global uint *out, uint n) {
    __local uint sums[64];
    const uint item = get_local_id(0);
    sums[item] = item;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 1u) != 0u ? sums[item] + 1u : sums[item] * 3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 2u) != 0u ? sums[item] + 2u : sums[item] * 3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 4u) != 0u ? sums[item] + 3u : sums[item] * 3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 8u) != 0u ? sums[item] + 4u : sums[item] * 3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 16u) != 0u ? sums[item] + 5u : sums[item] * 3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 32u) != 0u ? sums[item] + 6u : sums[item] * 3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 64u) != 0u ? sums[item] + 7u : sums[item] * 3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = (item & 128u) != 0u ? sums[item] + 8u : sums[item] * 3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[item] = sums[item];
}
