// The sum of each 4096 elements, by a block of 256 threads: 16 elements a thread in four 16-byte loads, shuffles inside a
// warp, one exchange between the 8 warps. Any number of blocks; `n` is a multiple of 4096.
extern "C" __global__ void __launch_bounds__(256)
reduce(const uint4 *__restrict__ in, unsigned n, unsigned *__restrict__ out)
{
    __shared__ unsigned sums[8];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned b = blockIdx.x; b < n / 4096; b += gridDim.x) {
        const uint4 *chunk = in + b * 1024 + threadIdx.x;
        unsigned acc = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const uint4 v = chunk[256 * k];
            acc += v.x + v.y + v.z + v.w;
        }
#pragma unroll
        for (int d = 16; d > 0; d /= 2) acc += __shfl_xor_sync(0xffffffffu, acc, d);
        if (lane == 0) sums[warp] = acc;
        __syncthreads();
        if (warp == 0) {
            acc = sums[lane % 8];
#pragma unroll
            for (int d = 4; d > 0; d /= 2) acc += __shfl_xor_sync(0xffffffffu, acc, d);
            if (lane == 0) out[b] = acc;
        }
        __syncthreads();
    }
}
