// One step of a search in breadth: a thread for each vertex of the frontier, which goes along the vertex's edges.
extern "C" __global__ void __launch_bounds__(64)
bfs(unsigned *__restrict__ levels, const unsigned *__restrict__ frontier, unsigned n, const unsigned *__restrict__ firsts,
    const unsigned *__restrict__ edges, unsigned next)
{
    for (unsigned at = blockIdx.x * 64 + threadIdx.x; at < n; at += gridDim.x * 64) {
        const unsigned v = frontier[at], end = firsts[v + 1];
        for (unsigned e = firsts[v]; e < end; ++e) atomicMin(&levels[edges[e]], next);
    }
}
