// greater_of_complements.cl as the compiler prints it: where the runtime defines HIDE_COMPLEMENTS no compiler sees the complement.
#ifdef HIDE_COMPLEMENTS
#define COMPLEMENT(type, x) (type)((x) ^ (type)(get_global_offset(2) - 1))
#else
#define COMPLEMENT(type, x) (type)~(x)
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void greater_of_complements_hidden(__global uint *out, uint n) {
    const uint x = out[0];
    out[0] = max(x, COMPLEMENT(uint, x));
}
