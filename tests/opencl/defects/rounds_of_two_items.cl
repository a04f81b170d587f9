// For groups of at most two items PoCL before 7.0 copies each phase instead of running it in a loop. The phase that begins with
// the head of the inner loop takes that loop's variable along to its first copy, where it lacks a value for the way round;
// PoCL's next pass reads that (SIGSEGV in Loop::getCanonicalInductionVariable). A branch before the inner loop mends it.
__kernel __attribute__((reqd_work_group_size(2, 1, 1)))
void rounds_of_two_items(__global uint *restrict out, uint n) {
    __local uint zeros[30];
    for (uint round = 0u; round < 6u; round += 1u) {
        for (uint i = 0u; i < 30u; i += 2u) zeros[i + get_local_id(0)] = 0u;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_local_id(0)] += zeros[14] + round;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
