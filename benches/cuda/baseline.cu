// What `benches/gpu.rs` holds our kernels against: CUB and Thrust where they have the algorithm, hand-written CUDA where they
// have none (transpose). C functions on device pointers and a stream; each gives a CUDA error code, 0 where all went well, and
// only puts work into the stream. Build: nvcc -std=c++17 -O3 -arch=native -shared -Xcompiler -fPIC -o libbaseline.so baseline.cu
#include <cstddef>
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reverse.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>

namespace {

// Not contracted, as the language's arithmetic is not: the same bits.
struct Saxpy {
    float a;
    __device__ float operator()(float x, float y) const { return __fadd_rn(__fmul_rn(a, x), y); }
};

struct IsThird {
    __host__ __device__ bool operator()(unsigned x) const { return x % 3 == 0; }
};

struct LowByte {
    __host__ __device__ unsigned operator()(unsigned x) const { return x % 256; }
};

// What Thrust throws, as a code: no exception may leave a C function.
template <typename Work> int checked(Work work)
{
    try {
        work();
        return cudaGetLastError();
    } catch (const thrust::system_error &error) {
        return error.code().value();
    } catch (...) {
        return cudaErrorUnknown;
    }
}

// Tiles of 32 by 32 in rows of 33, so that a column's elements are in different banks; 8 rows at a time.
constexpr int TILE = 32, ROWS = 8;

__global__ void __launch_bounds__(TILE *ROWS)
transpose_tiles(const float *__restrict__ in, float *__restrict__ out, unsigned rows, unsigned columns)
{
    __shared__ float tile[TILE][TILE + 1];
    const unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS) {
        tile[threadIdx.y + k][threadIdx.x] = in[size_t(row + threadIdx.y + k) * columns + column + threadIdx.x];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS) {
        out[size_t(column + threadIdx.y + k) * rows + row + threadIdx.x] = tile[threadIdx.x][threadIdx.y + k];
    }
}

// The inclusive sums of each 4096 elements: 16 neighbours a thread, loaded and stored through shared memory.
constexpr int THREADS = 256, ITEMS = 16, CHUNK = THREADS * ITEMS;

__global__ void __launch_bounds__(THREADS) scan_chunks(const unsigned *__restrict__ in, unsigned *__restrict__ out)
{
    using Load = cub::BlockLoad<unsigned, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Scan = cub::BlockScan<unsigned, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
    using Store = cub::BlockStore<unsigned, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } shared;
    const size_t first = size_t(blockIdx.x) * CHUNK;
    unsigned items[ITEMS];
    Load(shared.load).Load(in + first, items);
    __syncthreads();
    Scan(shared.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(shared.store).Store(out + first, items);
}

} // namespace

extern "C" {

// CUB's version: major * 100000 + minor * 100 + patch.
int baseline_cub_version() { return CUB_VERSION; }

const char *baseline_error(int code) { return cudaGetErrorString(static_cast<cudaError_t>(code)); }

int baseline_saxpy(cudaStream_t stream, float a, const float *x, const float *y, float *out, size_t n)
{
    return checked([=] { thrust::transform(thrust::cuda::par_nosync.on(stream), x, x + n, y, out, Saxpy{a}); });
}

int baseline_reverse(cudaStream_t stream, const unsigned *in, unsigned *out, size_t n)
{
    return checked([=] { thrust::reverse_copy(thrust::cuda::par_nosync.on(stream), in, in + n, out); });
}

// `rows` and `columns` are multiples of 32.
int baseline_transpose(cudaStream_t stream, const float *in, float *out, unsigned rows, unsigned columns)
{
    transpose_tiles<<<dim3(columns / TILE, rows / TILE), dim3(TILE, ROWS), 0, stream>>>(in, out, rows, columns);
    return cudaGetLastError();
}

// Bytes of `temporary` that `baseline_reduce` needs for `n` elements; 0 where CUB gives an error.
size_t baseline_reduce_bytes(size_t n)
{
    size_t bytes = 0;
    const unsigned *in = nullptr;
    unsigned *out = nullptr;
    return cub::DeviceReduce::Sum(nullptr, bytes, in, out, n) == cudaSuccess ? bytes : 0;
}

int baseline_reduce(cudaStream_t stream, void *temporary, size_t bytes, const unsigned *in, unsigned *out, size_t n)
{
    return cub::DeviceReduce::Sum(temporary, bytes, in, out, n, stream);
}

// `n` is a multiple of 4096.
int baseline_scan(cudaStream_t stream, const unsigned *in, unsigned *out, size_t n)
{
    scan_chunks<<<static_cast<unsigned>(n / CHUNK), THREADS, 0, stream>>>(in, out);
    return cudaGetLastError();
}

// Device-wide algorithms. With no `temporary` they only say in `bytes` how much of it they need. `count` is memory for one number.

int baseline_all_sums(cudaStream_t stream, void *temporary, size_t *bytes, const unsigned *in, unsigned *out, unsigned *, size_t n)
{
    return cub::DeviceScan::InclusiveSum(temporary, *bytes, in, out, n, stream);
}

int baseline_ordered(cudaStream_t stream, void *temporary, size_t *bytes, const unsigned *in, unsigned *out, unsigned *, size_t n)
{
    return cub::DeviceRadixSort::SortKeys(temporary, *bytes, in, out, n, 0, 32, stream);
}

int baseline_thirds(cudaStream_t stream, void *temporary, size_t *bytes, const unsigned *in, unsigned *out, unsigned *count, size_t n)
{
    return cub::DeviceSelect::If(temporary, *bytes, in, out, count, n, IsThird{}, stream);
}

int baseline_bytes(cudaStream_t stream, void *temporary, size_t *bytes, const unsigned *in, unsigned *out, unsigned *, size_t n)
{
    const auto low = thrust::make_transform_iterator(in, LowByte{});
    return cub::DeviceHistogram::HistogramEven(temporary, *bytes, low, out, 257, 0u, 256u, static_cast<int>(n), stream);
}

int baseline_firsts(cudaStream_t stream, void *temporary, size_t *bytes, const unsigned *in, unsigned *out, unsigned *count, size_t n)
{
    return cub::DeviceSelect::Unique(temporary, *bytes, in, out, count, n, stream);
}

} // extern "C"

// It has a `TILE` of its own.
#include "matrix_product.cu"

// The product of two square matrices of floats.
extern "C" int baseline_product(cudaStream_t stream, const float *a, const float *b, float *out, unsigned side)
{
    const unsigned across = (side + 63) / 64;
    matrix_product<<<across * across, 64, 0, stream>>>(a, side, side, b, side, out);
    return cudaGetLastError();
}
