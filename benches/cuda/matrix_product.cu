// A product of two matrices of any shape, 64 x 64 of it a block of 64 threads, each of which keeps 8 x 8 sums in registers.

#define TILE 64
#define STEP 8

extern "C" __global__ __launch_bounds__(64) void matrix_product(
    const float *__restrict__ a, unsigned m, unsigned depth, const float *__restrict__ b, unsigned n, float *__restrict__ out)
{
    __shared__ __align__(16) float of_a[STEP * TILE];
    __shared__ __align__(16) float of_b[STEP * TILE];
    const unsigned t = threadIdx.x;
    const unsigned across = (n + TILE - 1) / TILE, down = (m + TILE - 1) / TILE;
    for (unsigned tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        const unsigned top = tile / across * TILE, left = tile % across * TILE;
        float sums[8][8] = {};
        for (unsigned k = 0; k < depth; k += STEP) {
            __syncthreads();
#pragma unroll
            for (unsigned d = 0; d < STEP; d++) {
                of_a[d * TILE + t] = top + t < m && k + d < depth ? a[(top + t) * depth + k + d] : 0.0f;
                of_b[d * TILE + t] = k + d < depth && left + t < n ? b[(k + d) * n + left + t] : 0.0f;
            }
            __syncthreads();
#pragma unroll
            for (unsigned d = 0; d < STEP; d++) {
                float x[8], y[8];
#pragma unroll
                for (unsigned half = 0; half < 2; half++) {
                    *(float4 *)&x[half * 4] = *(const float4 *)&of_a[d * TILE + half * 32 + t / 8 * 4];
                    *(float4 *)&y[half * 4] = *(const float4 *)&of_b[d * TILE + half * 32 + t % 8 * 4];
                }
#pragma unroll
                for (unsigned i = 0; i < 8; i++) {
#pragma unroll
                    for (unsigned j = 0; j < 8; j++) {
                        sums[i][j] = fmaf(x[i], y[j], sums[i][j]);
                    }
                }
            }
        }
#pragma unroll
        for (unsigned i = 0; i < 8; i++) {
#pragma unroll
            for (unsigned j = 0; j < 8; j++) {
                const unsigned r = top + i / 4 * 32 + t / 8 * 4 + i % 4, c = left + j / 4 * 32 + t % 8 * 4 + j % 4;
                if (r < m && c < n) out[r * n + c] = sums[i][j];
            }
        }
        __syncthreads();
    }
}
