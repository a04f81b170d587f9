// A work-item an element.
__kernel void saxpy(float alpha, __global const float *restrict x, uint nx, __global const float *restrict y, uint ny,
                    __global float *restrict out) {
    uint i = get_global_id(0);
    if (i < nx) out[i] = alpha * x[i] + y[i];
}
