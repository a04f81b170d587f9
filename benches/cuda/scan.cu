// The inclusive sums of each 4096 elements, by a block of 256 threads. A warp loads 512 elements 16 bytes a lane, exchanges
// them through a padded tile so that each lane has 16 neighbours, and scans: in a lane, in the warp by shuffles, over the 8
// warps. Back the same way. Any number of blocks; `n` is a multiple of 4096.
extern "C" __global__ void __launch_bounds__(256)
scan(const uint4 *__restrict__ in, unsigned n, uint4 *__restrict__ out)
{
    // Four words of padding after each 16: a lane's 16 start in banks of their own.
    __shared__ uint4 tile[256 * 5];
    __shared__ unsigned totals[8];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 *part = tile + warp * 160, *own = part + lane * 5;
    for (unsigned b = blockIdx.x; b < n / 4096; b += gridDim.x) {
        const unsigned first = b * 1024 + warp * 128 + lane;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned at = k * 32 + lane;
            part[at + at / 4] = in[first + k * 32];
        }
        __syncwarp();
        unsigned x[16];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const uint4 v = own[k];
            x[4 * k] = v.x, x[4 * k + 1] = v.y, x[4 * k + 2] = v.z, x[4 * k + 3] = v.w;
        }
#pragma unroll
        for (int k = 1; k < 16; ++k) x[k] += x[k - 1];
        unsigned sum = x[15];
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const unsigned below = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += below;
        }
        if (lane == 31) totals[warp] = sum;
        __syncthreads();
        unsigned carry = sum - x[15];
#pragma unroll
        for (int w = 0; w < 7; ++w) carry += w < warp ? totals[w] : 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            own[k] = make_uint4(x[4 * k] + carry, x[4 * k + 1] + carry, x[4 * k + 2] + carry, x[4 * k + 3] + carry);
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned at = k * 32 + lane;
            out[first + k * 32] = part[at + at / 4];
        }
        __syncthreads();
    }
}
