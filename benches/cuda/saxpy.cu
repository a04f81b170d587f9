// a x + y, not contracted, by blocks of 256 threads: 4 neighbours a thread in 16-byte loads and stores. Any number of blocks; the
// lengths are multiples of 1024.
extern "C" __global__ void __launch_bounds__(256)
saxpy(float a, const float4 *__restrict__ x, unsigned nx, const float4 *__restrict__ y, unsigned ny, float4 *__restrict__ out)
{
    const unsigned n = min(nx, ny);
    for (unsigned b = blockIdx.x; b < n / 1024; b += gridDim.x) {
        const unsigned i = b * 256 + threadIdx.x;
        const float4 u = x[i], v = y[i];
        out[i] = make_float4(__fadd_rn(__fmul_rn(a, u.x), v.x), __fadd_rn(__fmul_rn(a, u.y), v.y),
                             __fadd_rn(__fmul_rn(a, u.z), v.z), __fadd_rn(__fmul_rn(a, u.w), v.w));
    }
}
