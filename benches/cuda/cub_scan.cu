// The inclusive sums of each 4096 elements, by a block of 256 threads with CUB.
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

extern "C" __global__ void __launch_bounds__(256) cub_scan(const unsigned *in, unsigned n, unsigned *out)
{
    using Load = cub::BlockLoad<unsigned, 256, 16, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Scan = cub::BlockScan<unsigned, 256>;
    using Store = cub::BlockStore<unsigned, 256, 16, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } temp;
    for (unsigned b = blockIdx.x; b < n / 4096; b += gridDim.x) {
        unsigned items[16];
        Load(temp.load).Load(in + b * 4096, items);
        __syncthreads();
        Scan(temp.scan).InclusiveSum(items, items);
        __syncthreads();
        Store(temp.store).Store(out + b * 4096, items);
        __syncthreads();
    }
}
