// cuda_on_cpu.h - run generated __global__ C on the host with real barrier semantics.
// One ucontext fiber per CUDA thread of a block, round robin, single OS thread per block.
// A fiber runs until it reaches __syncthreads / a warp collective / returns; the scheduler
// checks that every thread of the block (or every lane named in the mask) arrived at the SAME
// barrier, so divergence is reported rather than silently tolerated.
#pragma once
#include <ucontext.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#define __global__                              /* kernels are extern "C" */
#define __align__(n) __attribute__((aligned(n)))
#define __device__ inline
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __shared__ static thread_local          /* blocks run one after another on an OS thread */
struct uint3_ { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {} };
struct __attribute__((aligned(16))) int4 { int x, y, z, w; };
struct __attribute__((aligned(16))) uint4 { unsigned x, y, z, w; };
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
struct __attribute__((aligned(8))) float2 { float x, y; };

namespace coc {
#if defined(__x86_64__) && !defined(COC_UCONTEXT)   /* ~5 ns switch instead of two sigprocmask syscalls */
extern "C" void coc_switch(void **save, void *to);
asm(R"(
.text
.globl coc_switch
.hidden coc_switch
.type coc_switch,@function
coc_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size coc_switch,.-coc_switch
)");
typedef void *Ctx;
inline void sw(Ctx &from, Ctx &to) { coc_switch(&from, to); }
inline void mk(Ctx &c, char *stk, size_t n, void (*f)()) { void **sp = (void **)(((uintptr_t)stk + n) & ~15ul); *--sp = nullptr; *--sp = (void *)f; sp -= 6; std::memset(sp, 0, 48); c = sp; }
#else
typedef ucontext_t Ctx;
inline void sw(Ctx &from, Ctx &to) { swapcontext(&from, &to); }
inline void mk(Ctx &c, char *stk, size_t n, void (*f)()) { getcontext(&c); c.uc_stack.ss_sp = stk; c.uc_stack.ss_size = n; c.uc_link = nullptr; makecontext(&c, f, 0); }
#endif
enum Wait : uint8_t { RUN, BAR, WARP, DONE };
struct Fiber { Ctx ctx; Wait w = DONE; unsigned site = 0, mask = 0; uint64_t xchg = 0; };
inline thread_local std::vector<Fiber> fib;
inline thread_local std::vector<char *> stacks;
inline thread_local Ctx sched;
inline thread_local unsigned cur, nthr, slack_bar;
inline thread_local std::function<void()> *body;
inline thread_local int errors;
inline thread_local uint3_ tid_, bid_;
inline thread_local dim3 bdim_, gdim_;
constexpr size_t STACK = 32 * 1024;
inline void yield(Wait w) { unsigned me = cur; fib[me].w = w; sw(fib[me].ctx, sched); }
inline void tramp() { (*body)(); fib[cur].w = DONE; sw(fib[cur].ctx, sched); }
inline void settid(unsigned t) { cur = t; tid_ = { t % bdim_.x, t / bdim_.x % bdim_.y, t / (bdim_.x * bdim_.y) }; }
inline void die(const char *why, unsigned t, unsigned site) {
  std::fprintf(stderr, "cuda_on_cpu: %s (block %u,%u,%u thread %u line %u)\n", why, bid_.x, bid_.y, bid_.z, t, site); errors++; }
inline void run_block(bool reverse) {
  if (fib.size() < nthr) { fib.resize(nthr); while (stacks.size() < nthr) stacks.push_back((char *)std::malloc(STACK)); }
  for (unsigned t = 0; t < nthr; t++) {
    mk(fib[t].ctx, stacks[t], STACK, tramp); fib[t].w = RUN;
  }
  for (;;) {
    bool ran = false;
    for (unsigned k = 0; k < nthr; k++) {
      unsigned t = reverse ? nthr - 1 - k : k;
      if (fib[t].w != RUN) continue;
      ran = true; settid(t); sw(sched, fib[t].ctx);
    }
    if (ran) { // warp collectives release as soon as every lane in the mask has arrived
      for (unsigned w0 = 0; w0 < nthr; w0 += 32) for (unsigned l = 0; l < 32 && w0 + l < nthr; l++) {
        Fiber &f = fib[w0 + l]; if (f.w != WARP) continue;
        bool all = true;
        for (unsigned m = 0; m < 32; m++) if (f.mask >> m & 1) { unsigned t = w0 + m;
          if (t >= nthr || fib[t].w == DONE) { die("warp collective names a lane that exited", w0 + l, f.site); all = true; break; }
          if (fib[t].w != WARP || fib[t].site != f.site || fib[t].mask != f.mask) all = false; }
        if (all) for (unsigned m = 0; m < 32; m++) if (f.mask >> m & 1 && w0 + m < nthr && fib[w0 + m].w == WARP) fib[w0 + m].w = RUN;
      }
      continue;
    }
    unsigned bar = 0, done = 0, warp = 0, site = 0, who = 0; bool mixed = false;
    for (unsigned t = 0; t < nthr; t++) switch (fib[t].w) {
      case BAR: if (bar && fib[t].site != site) { mixed = true; who = t; } site = fib[t].site; bar++; break;
      case DONE: done++; break; case WARP: warp++; who = t; break; default: break; }
    if (done == nthr) return;
    if (warp) { die("deadlock: warp collective never completed (divergent mask)", who, fib[who].site); return; }
    if (mixed) die("threads wait at different __syncthreads", who, site);
    if (done) { for (unsigned t = 0; t < nthr; t++) if (fib[t].w == BAR) { who = t; break; } die("__syncthreads while some threads have exited", who, site); }
    for (unsigned t = 0; t < nthr; t++) if (fib[t].w == BAR) fib[t].w = RUN;
  }
}
template <class F> int launch(dim3 g, dim3 b, F f, bool reverse = false) {   // returns the number of errors
  std::function<void()> fn = f; body = &fn; nthr = b.x * b.y * b.z; bdim_ = b; gdim_ = g; errors = 0;
  for (unsigned z = 0; z < g.z; z++) for (unsigned y = 0; y < g.y; y++) for (unsigned x = 0; x < g.x; x++) { bid_ = { x, y, z }; run_block(reverse); }
  return errors;
}
template <class T> T shfl(unsigned mask, T v, int src, unsigned site) {        // src: lane in warp, or <0 = self
  unsigned me = cur, w0 = me & ~31u; Fiber &f = fib[me];
  std::memcpy(&f.xchg, &v, sizeof v); f.mask = mask; f.site = site; yield(WARP);
  T r = v; if (src >= 0 && w0 + src < nthr) std::memcpy(&r, &fib[w0 + src].xchg, sizeof r);
  f.site = site | 0x80000000u; yield(WARP);                                     // second phase: everyone has read
  return r;
}
inline unsigned lanes(unsigned mask = 0xffffffffu) { return mask; }
} // namespace coc
#define threadIdx (coc::tid_)
#define blockIdx (coc::bid_)
#define blockDim (coc::bdim_)
#define gridDim (coc::gdim_)
#define __syncthreads() (coc::fib[coc::cur].site = __LINE__, coc::yield(coc::BAR))
#define __syncwarp(...) ((void)coc::shfl<int>(coc::lanes(__VA_ARGS__), 0, -1, __LINE__))
#define __shfl_sync(m, v, s) coc::shfl(m, v, int((s) & 31), __LINE__)
#define __shfl_down_sync(m, v, d) coc::shfl(m, v, int((coc::cur & 31) + (d)) < 32 ? int((coc::cur & 31) + (d)) : -1, __LINE__)
#define __shfl_up_sync(m, v, d) coc::shfl(m, v, int(coc::cur & 31) - int(d), __LINE__)
#define __shfl_xor_sync(m, v, d) coc::shfl(m, v, int((coc::cur & 31) ^ (d)), __LINE__)
template <class T> T atomicAdd(T *p, T v) { T o = *p; *p = o + v; return o; }     // one OS thread per launch: no lock needed
template <class T> T atomicMax(T *p, T v) { T o = *p; if (v > o) *p = v; return o; }
template <class T> T atomicMin(T *p, T v) { T o = *p; if (v < o) *p = v; return o; }
template <class T> T atomicCAS(T *p, T c, T v) { T o = *p; if (o == c) *p = v; return o; }
template <class T> T atomicAnd(T *p, T v) { T o = *p; *p = o & v; return o; }
template <class T> T atomicOr(T *p, T v) { T o = *p; *p = o | v; return o; }
template <class T> T atomicXor(T *p, T v) { T o = *p; *p = o ^ v; return o; }
template <class T> T atomicExch(T *p, T v) { T o = *p; *p = v; return o; }
// Intrinsics of the printed kernels; compile with -ffp-contract=off, or g++ may fuse what these keep apart.
#include <cmath>
#include <math.h>
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
template <class To, class From> To coc_bits(From v) { static_assert(sizeof(To) == sizeof(From)); To r; std::memcpy(&r, &v, sizeof r); return r; }
inline float __int_as_float(int v) { return coc_bits<float>(v); }
inline int __float_as_int(float v) { return coc_bits<int>(v); }
inline double __longlong_as_double(long long v) { return coc_bits<double>(v); }
inline long long __double_as_longlong(double v) { return coc_bits<long long>(v); }
#define COC_MINMAX(T) inline T min(T a, T b) { return b < a ? b : a; } inline T max(T a, T b) { return a < b ? b : a; }
COC_MINMAX(int) COC_MINMAX(unsigned) COC_MINMAX(long long) COC_MINMAX(unsigned long long)
