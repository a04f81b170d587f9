// choices_of_places.cl as the compiler prints it: where the runtime defines HIDE_PLACES no compiler knows places in local memory.
#ifdef HIDE_PLACES
#define PLACES(room) (room + get_global_offset(2))
#else
#define PLACES(room) room
#endif

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void choices_of_places_hidden(__global uint *restrict out, uint n) {
    __local uchar room[448] __attribute__((aligned(128)));
    __local uchar *const smem = PLACES(room);
    __local uint *const a = (__local uint *)(smem + 0);
    __local uint *const b = (__local uint *)(smem + 128);
    __local uint *const c = (__local uint *)(smem + 256);
    __local uint *const d = (__local uint *)(smem + 384);
    const uint item = get_local_id(0);
    a[item] = item;
    b[item] = item + 4u;
    c[item] = item + 8u;
    d[item] = item + 12u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 4u) out[item] = item == 0u ? a[0] : item == 1u ? b[0] : item == 2u ? c[0] : d[0];
}
