// The transpose of a 256 x 256 matrix, by blocks of 256 threads: tiles of 32 x 32 in rows of 33, so that a column's elements
// are in different banks. Any number of blocks.
extern "C" __global__ void __launch_bounds__(256)
transpose(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float tile[32][33];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
    for (unsigned b = blockIdx.x; b < 64; b += gridDim.x) {
        const unsigned row = b % 8 * 32, column = b / 8 * 32;
#pragma unroll
        for (int k = 0; k < 32; k += 8) tile[y + k][x] = in[(row + y + k) * 256 + column + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 8) out[(column + y + k) * 256 + row + x] = tile[x][y + k];
        __syncthreads();
    }
}
