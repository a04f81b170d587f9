// What a kernel in CUDA C names, for a C++ compiler that makes code for the processor: qualifiers, registers, intrinsics.
// Their meaning is that of the CUDA C++ Programming Guide, chapter "C++ Language Extensions". Threads and their barriers
// come from fibres.h or threads.h. To be compiled with -ffp-contract=off.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#define __global__
#define __device__
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

namespace coc {
struct Index {
  unsigned x, y, z;
};

template <class To, class From> To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
} // namespace coc

#ifdef COC_THREADS
#include "threads.h"
#else
#include "fibres.h"
#endif

#define threadIdx (coc::thread_index)
#define blockIdx (coc::block_index)
#define gridDim (coc::grid_size)
#define __syncthreads() coc::sync_block(__LINE__)
#define __syncwarp(...) coc::WarpBarrier{__LINE__}(__VA_ARGS__)
#define __shfl_sync(mask, value, lane) coc::shuffle(__LINE__, mask, value, [&](int) { return int((lane) & 31); })
#define __shfl_xor_sync(mask, value, by) coc::shuffle(__LINE__, mask, value, [&](int own) { return own ^ int((by) & 31); })
// Lanes whose source would lie outside the warp keep their own value.
#define __shfl_up_sync(mask, value, by) \
  coc::shuffle(__LINE__, mask, value, [&](int own) { return own < int((by) & 31) ? own : own - int((by) & 31); })
#define __shfl_down_sync(mask, value, by) \
  coc::shuffle(__LINE__, mask, value, [&](int own) { return own + int((by) & 31) > 31 ? own : own + int((by) & 31); })
#define __ballot_sync(mask, yes) coc::ballot(__LINE__, mask, (yes) != 0)
#define __any_sync(mask, yes) (coc::ballot(__LINE__, mask, (yes) != 0) != 0)
#define __all_sync(mask, yes) (coc::ballot(__LINE__, mask, (yes) == 0) == 0)
#define __match_any_sync(mask, value) coc::same(__LINE__, mask, value)
// Sums wrap.
#define __reduce_add_sync(mask, value) COC_REDUCE(mask, value, decltype(a)(unsigned(a) + unsigned(b)))
#define __reduce_min_sync(mask, value) COC_REDUCE(mask, value, b < a ? b : a)
#define __reduce_max_sync(mask, value) COC_REDUCE(mask, value, a < b ? b : a)
#define __reduce_and_sync(mask, value) COC_REDUCE(mask, value, a & b)
#define __reduce_or_sync(mask, value) COC_REDUCE(mask, value, a | b)
#define __reduce_xor_sync(mask, value) COC_REDUCE(mask, value, a ^ b)
#define COC_REDUCE(mask, value, joined) coc::reduce(__LINE__, mask, value, [](auto a, auto b) { return joined; })

namespace coc {
struct WarpBarrier {
  unsigned site;
  void operator()(unsigned mask = 0xffffffff) { sync_warp(site, mask); }
};

// The value of the lane that `source` names, given the own lane.
template <class T, class F> T shuffle(unsigned site, unsigned mask, T value, F source) {
  T found{};
  exchange(site, mask, value, [&](int own, auto at) { found = at(source(own)); });
  return found;
}

inline unsigned ballot(unsigned site, unsigned mask, bool yes) {
  unsigned found = 0;
  exchange(site, mask, yes, [&](int, auto at) {
    for (int lane = 0; lane < 32; lane++)
      if (mask >> lane & 1) found |= unsigned(at(lane)) << lane;
  });
  return found;
}

template <class T> unsigned same(unsigned site, unsigned mask, T value) {
  unsigned found = 0;
  exchange(site, mask, value, [&](int, auto at) {
    for (int lane = 0; lane < 32; lane++)
      if (mask >> lane & 1) found |= unsigned(at(lane) == value) << lane;
  });
  return found;
}

template <class T, class F> T reduce(unsigned site, unsigned mask, T value, F join) {
  T found{};
  exchange(site, mask, value, [&](int own, auto at) {
    found = value;
    for (int lane = 0; lane < 32; lane++)
      if (lane != own && mask >> lane & 1) found = join(found, at(lane));
  });
  return found;
}
} // namespace coc

#define COC_ATOMIC(name, next) \
  template <class T> T name(T *place, std::common_type_t<T> value) { \
    return coc::update(place, [=]([[maybe_unused]] T old) { return T(next); }); \
  }
COC_ATOMIC(atomicAdd, old + value)
COC_ATOMIC(atomicMin, value < old ? value : old)
COC_ATOMIC(atomicMax, old < value ? value : old)
COC_ATOMIC(atomicAnd, old & value)
COC_ATOMIC(atomicOr, old | value)
COC_ATOMIC(atomicXor, old ^ value)
COC_ATOMIC(atomicExch, value)
template <class T> T atomicCAS(T *place, std::common_type_t<T> expected, std::common_type_t<T> value) {
  return coc::update(place, [=](T old) { return old == expected ? value : old; });
}
// Signed sums wrap.
inline int atomicAdd(int *place, int value) {
  return int(atomicAdd(reinterpret_cast<unsigned *>(place), unsigned(value)));
}

inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
// Approximations: the exact function is within their error.
namespace coc {
inline float normal(float a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }
inline void sqrt_approx_ftz_f32(float &r, float a) { r = normal(std::sqrt(normal(a))); }
// By more than 2^126 it is 0.
inline void div_approx_ftz_f32(float &r, float a, float b) {
  const float by = std::isfinite(b) && std::fabs(b) > 0x1p126f ? std::copysign(INFINITY, b) : normal(b);
  r = normal(normal(a) / by);
}
inline void rcp_approx_ftz_f32(float &r, float a) { r = normal(float(1.0 / double(normal(a)))); }
inline void rsqrt_approx_ftz_f32(float &r, float a) { r = normal(float(1.0 / std::sqrt(double(normal(a))))); }
inline void ex2_approx_ftz_f32(float &r, float a) { r = normal(float(std::exp2(double(normal(a))))); }
inline void lg2_approx_ftz_f32(float &r, float a) { r = normal(float(std::log2(double(normal(a))))); }
inline void sin_approx_ftz_f32(float &r, float a) { r = normal(float(std::sin(double(normal(a))))); }
inline void cos_approx_ftz_f32(float &r, float a) { r = normal(float(std::cos(double(normal(a))))); }
inline void tanh_approx_f32(float &r, float a) { r = float(std::tanh(double(a))); }
} // namespace coc
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline float __int_as_float(int a) { return coc::bits<float>(a); }
inline int __float_as_int(float a) { return coc::bits<int>(a); }
inline float __uint_as_float(unsigned a) { return coc::bits<float>(a); }
inline unsigned __float_as_uint(float a) { return coc::bits<unsigned>(a); }
inline double __longlong_as_double(long long a) { return coc::bits<double>(a); }
inline long long __double_as_longlong(double a) { return coc::bits<long long>(a); }
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz(unsigned(a)); }
inline int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline unsigned long long __brevll(unsigned long long a) {
  unsigned long long back = 0;
  for (int i = 0; i < 64; i++) back |= (a >> i & 1) << (63 - i);
  return back;
}
inline unsigned __brev(unsigned a) { return unsigned(__brevll(a) >> 32); }

#define COC_INTEGERS(T) \
  inline T min(T a, T b) { return b < a ? b : a; } \
  inline T max(T a, T b) { return a < b ? b : a; }
COC_INTEGERS(int)
COC_INTEGERS(unsigned)
COC_INTEGERS(long long)
COC_INTEGERS(unsigned long long)

// PTX ISA, min and max: of a number and a NaN the number, and -0 is less than +0. C leaves the latter open.
namespace coc {
template <class T> T least(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T> T greatest(T a, T b) { return -least(-a, -b); }
} // namespace coc
#define fminf(a, b) coc::least<float>(a, b)
#define fmaxf(a, b) coc::greatest<float>(a, b)
#define fmin(a, b) coc::least<double>(a, b)
#define fmax(a, b) coc::greatest<double>(a, b)

// Instructions that a kernel names in `asm`. PTX ISA, cvt: rounding to nearest even; every NaN becomes the canonical one.
namespace coc {
inline void cvt_f32_f16(float &y, unsigned short x) {
  const int exponent = x >> 10 & 31, fraction = x & 0x3ff;
  const float size = exponent == 0    ? std::ldexp(float(fraction), -24)
                     : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                      : std::ldexp(float(fraction + 1024), exponent - 25);
  y = std::copysign(size, x >> 15 ? -1.0f : 1.0f);
}

inline void cvt_rn_f16_f32(unsigned short &y, float x) {
  const unsigned short sign = std::signbit(x) ? 0x8000 : 0;
  const double size = std::fabs(double(x));
  if (x != x) {
    y = 0x7fff;
  } else if (size >= 65520.0) {
    y = sign | 0x7c00;
  } else if (size < 0x1p-14) {
    // In units of the smallest subnormal; 1024 of them are the smallest normal number, whose bits follow on.
    y = sign | (unsigned short)std::nearbyint(size * 0x1p24);
  } else {
    const int exponent = std::ilogb(size);
    // A fraction that rounds up to 2 carries into the exponent.
    y = sign | (unsigned short)(((exponent + 15) << 10) + int(std::nearbyint(std::ldexp(size, 10 - exponent))) - 1024);
  }
}
} // namespace coc
