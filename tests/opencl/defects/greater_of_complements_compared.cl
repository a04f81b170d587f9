// greater_of_complements.cl as the compiler prints it: by a comparison.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void greater_of_complements_compared(__global uint *out, uint n) {
    const uint x = out[0];
    out[0] = ((x) > (~x) ? (x) : (~x));
}
