// The same as `neighbours_one_by_one`, with vectors, as the texts for groups of one item have it.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void neighbours_together(__global uint *restrict out, uint n)
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
        const uint4 v = *(__local const uint4 *)&from[i];
        SORTED(a, i, v.x)
        SORTED(b, i + 1u, v.y)
        SORTED(c, i + 2u, v.z)
        SORTED(d, i + 3u, v.w)
        *(__local uint4 *)&to[i] = (uint4)(a, b, c, d);
    }
    for (uint i = 0u; i < 64u; i++) {
        out[i] = to[i];
    }
}
