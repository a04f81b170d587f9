// Each 1024 elements in order, by a block of 256 threads with CUB's radix sort.
#include <cub/block/block_radix_sort.cuh>

extern "C" __global__ void __launch_bounds__(256) cub_radix_sort(const uint4 *in, unsigned n, unsigned *out)
{
    using Sort = cub::BlockRadixSort<unsigned, 256, 4>;
    __shared__ typename Sort::TempStorage temp;
    for (unsigned b = blockIdx.x; b < n / 1024; b += gridDim.x) {
        const uint4 four = in[b * 256 + threadIdx.x];
        unsigned items[4] = {four.x, four.y, four.z, four.w};
        Sort(temp).SortBlockedToStriped(items);
#pragma unroll
        for (int i = 0; i < 4; ++i) out[b * 1024 + i * 256 + threadIdx.x] = items[i];
        __syncthreads();
    }
}
