// rounds_of_two_items.cl with rounds as the compiler prints them: where the runtime defines SPLIT_ROUNDS each begins with a
// branch that no item takes.
#ifdef SPLIT_ROUNDS
#define ROUND if (get_local_id(0) >= 2u) zeros[0] = 0
#else
#define ROUND
#endif

__kernel __attribute__((reqd_work_group_size(2, 1, 1)))
void rounds_of_two_items_split(__global uint *restrict out, uint n) {
    __local uint zeros[30];
    for (uint round = 0u; round < 6u; round += 1u) {
        ROUND;
        for (uint i = 0u; i < 30u; i += 2u) zeros[i + get_local_id(0)] = 0u;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_local_id(0)] += zeros[14] + round;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
