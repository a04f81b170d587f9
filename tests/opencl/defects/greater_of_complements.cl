// A number or its complement, whichever is greater: a driver that has the defect gives the number.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void greater_of_complements(__global uint *out, uint n) {
    const uint x = out[0];
    out[0] = max(x, ~x);
}
