// What all bodies do to each of them: a block keeps 64 of them at a time in shared memory, and each of its 64 threads one of its own.
extern "C" __global__ void __launch_bounds__(64)
nbody(const float4 *__restrict__ bodies, unsigned n, float *__restrict__ fx, float *__restrict__ fy, float *__restrict__ fz)
{
    __shared__ float4 tile[64];
    for (unsigned b = blockIdx.x; b * 64 < n; b += gridDim.x) {
        const unsigned own = b * 64 + threadIdx.x;
        const float4 me = bodies[min(own, n - 1)];
        float x = 0, y = 0, z = 0;
        for (unsigned k = 0; k < n; k += 64) {
            const unsigned j = k + threadIdx.x;
            tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
            __syncthreads();
#pragma unroll 8
            for (int i = 0; i < 64; ++i) {
                const float4 other = tile[i];
                const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
                const float near = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.0001f)));
                const float s = other.w / (near * sqrtf(near));
                x += dx * s, y += dy * s, z += dz * s;
            }
            __syncthreads();
        }
        if (own < n) fx[own] = x, fy[own] = y, fz[own] = z;
    }
}
