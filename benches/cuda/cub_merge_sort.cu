// Each 1024 elements in order, by a block of 256 threads with CUB's merge sort.
#include <cub/block/block_merge_sort.cuh>

struct Less {
    __device__ bool operator()(unsigned a, unsigned b) const { return a < b; }
};

extern "C" __global__ void __launch_bounds__(256) cub_merge_sort(const uint4 *in, unsigned n, uint4 *out)
{
    using Sort = cub::BlockMergeSort<unsigned, 256, 4>;
    __shared__ typename Sort::TempStorage temp;
    for (unsigned b = blockIdx.x; b < n / 1024; b += gridDim.x) {
        const uint4 four = in[b * 256 + threadIdx.x];
        unsigned items[4] = {four.x, four.y, four.z, four.w};
        Sort(temp).Sort(items, Less());
        out[b * 256 + threadIdx.x] = make_uint4(items[0], items[1], items[2], items[3]);
        __syncthreads();
    }
}
