// The sum of each 4096 elements, by a block of 256 threads with CUB.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>

extern "C" __global__ void __launch_bounds__(256) cub_reduce(const unsigned *in, unsigned n, unsigned *out)
{
    using Load = cub::BlockLoad<unsigned, 256, 16, cub::BLOCK_LOAD_VECTORIZE>;
    using Reduce = cub::BlockReduce<unsigned, 256>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Reduce::TempStorage reduce;
    } temp;
    for (unsigned b = blockIdx.x; b < n / 4096; b += gridDim.x) {
        unsigned items[16];
        Load(temp.load).Load(const_cast<unsigned *>(in) + b * 4096, items);
        const unsigned sum = Reduce(temp.reduce).Sum(items);
        if (threadIdx.x == 0) out[b] = sum;
        __syncthreads();
    }
}
