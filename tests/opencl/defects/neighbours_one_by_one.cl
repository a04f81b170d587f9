// One item puts each pair of neighbours that begins at an odd place in order, four places in a round, each read and written alone:
// Intel's compiler for processors (2026.2) dies while it simplifies the branches.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void neighbours_one_by_one(__global uint *restrict out, uint n)
{
    __local uchar shared[512] __attribute__((aligned(128)));
    __local uint *const from = (__local uint *)(shared + 0);
    __local uint *const to = (__local uint *)(shared + 256);
    for (uint i = 0u; i < 64u; i++) {
        from[i] = (i * 37u) & 63u;
    }
#define SORTED(x, at, was)                                 \
    uint x;                                                \
    if (((at) & 1u) == 1u && (at) + 1u < 64u) {            \
        x = was < from[(at) + 1u] ? was : from[(at) + 1u]; \
    } else if ((at) >= 1u && (((at) - 1u) & 1u) == 1u) {   \
        x = from[(at) - 1u] > was ? from[(at) - 1u] : was; \
    } else {                                               \
        x = was;                                           \
    }
    for (uint i = 0u; i < 64u; i += 4u) {
        const uint4 v = (uint4)(from[i], from[i + 1u], from[i + 2u], from[i + 3u]);
        SORTED(a, i, v.x)
        SORTED(b, i + 1u, v.y)
        SORTED(c, i + 2u, v.z)
        SORTED(d, i + 3u, v.w)
        to[i] = a; to[i + 1u] = b; to[i + 2u] = c; to[i + 3u] = d;
    }
    for (uint i = 0u; i < 64u; i++) {
        out[i] = to[i];
    }
}
