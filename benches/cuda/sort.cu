// Each 512 keys sorted, by a block of 256 threads: Batcher's bitonic network in shared memory, a thread for a pair, written
// out. Pairs at most 32 apart stay inside a warp's 64 keys, where the warp alone waits. Any number of blocks; `n` is a multiple
// of 512.
extern "C" __global__ void __launch_bounds__(256)
sort(const unsigned *__restrict__ in, unsigned n, unsigned *__restrict__ out)
{
    __shared__ unsigned keys[512];
    const unsigned t = threadIdx.x;
    for (unsigned b = blockIdx.x; b < n / 512; b += gridDim.x) {
        keys[t] = in[b * 512 + t];
        keys[t + 256] = in[b * 512 + t + 256];
        __syncthreads();
#pragma unroll
        for (unsigned size = 2; size <= 512; size *= 2) {
            const bool ascends = (2 * t & size) == 0 || size == 512;
#pragma unroll
            for (unsigned d = size / 2; d > 0; d /= 2) {
                const unsigned at = 2 * t - (t & (d - 1));
                const unsigned x = keys[at], y = keys[at + d];
                const unsigned lower = min(x, y), upper = max(x, y);
                keys[at] = ascends ? lower : upper;
                keys[at + d] = ascends ? upper : lower;
                const bool far = d > 32 || (d == 1 && size >= 64);
                if (far) __syncthreads();
                else __syncwarp();
            }
        }
        out[b * 512 + t] = keys[t];
        out[b * 512 + t + 256] = keys[t + 256];
        __syncthreads();
    }
}
