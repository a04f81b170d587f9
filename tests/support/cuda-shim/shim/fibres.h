// The threads of a block as fibres of one thread of the processor. A fibre runs until it must wait for others; whose turn
// it is then is the launch's choice, so a race shows as another result in the other order. A barrier that only some
// threads reach, or different ones at one time, is a complaint.
#pragma once
#include <cstdlib>
#include <string>
#include <vector>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

// Blocks run one after another.
#define __shared__ static

namespace coc {
inline Index thread_index, block_index, grid_size;
inline std::string complaints;

#if defined(__x86_64__)
// Saves the registers that a call keeps (System V ABI) and the stack; takes the other's. No system call, unlike swapcontext.
using Context = void *;
extern "C" void coc_switch(Context *save, Context to);
asm(R"(
.text
.globl coc_switch
.type coc_switch,@function
coc_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size coc_switch, .-coc_switch
)");
inline void go(Context &from, Context &to) { coc_switch(&from, to); }
inline void prepare(Context &context, char *stack, std::size_t size, void (*start)()) {
  void **top = reinterpret_cast<void **>(reinterpret_cast<std::uintptr_t>(stack + size) & ~std::uintptr_t(15));
  *--top = nullptr; // where a call would have left its return address: the stack is aligned as functions expect it
  *--top = reinterpret_cast<void *>(start);
  for (int i = 0; i < 6; i++) *--top = nullptr;
  context = top;
}
#else
using Context = ucontext_t;
inline void go(Context &from, Context &to) { swapcontext(&from, &to); }
inline void prepare(Context &context, char *stack, std::size_t size, void (*start)()) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = size;
  context.uc_link = nullptr;
  makecontext(&context, start, 0);
}
#endif

enum class State { ready, at_block, at_warp, done };

struct Fibre {
  Context context;
  State state;
  unsigned site, mask;
  std::uint64_t value; // what other lanes may read
  char *stack;
};

constexpr std::size_t stack_bytes = 256 * 1024;
constexpr std::uint64_t untouched = 0x5ca1ab1e5ca1ab1e;

inline std::vector<Fibre> fibres;
inline Context scheduler;
inline unsigned current, threads;
inline void (*kernel)(void *const *);
inline void *const *arguments;

inline void complain(const char *what, unsigned thread, unsigned site) {
  complaints += std::string(what) + ": block " + std::to_string(block_index.x) + ", thread " + std::to_string(thread) +
                ", line " + std::to_string(site) + "\n";
}

inline void wait(State state, unsigned site) {
  Fibre &self = fibres[current];
  self.state = state;
  self.site = site;
  go(self.context, scheduler);
}

inline void start() {
  kernel(arguments);
  wait(State::done, 0);
}

inline void sync_block(unsigned site) { wait(State::at_block, site); }

inline void sync_warp(unsigned site, unsigned mask) {
  fibres[current].mask = mask;
  wait(State::at_warp, site);
}

template <class T, class F> void exchange(unsigned site, unsigned mask, T value, F read) {
  static_assert(sizeof value <= sizeof(std::uint64_t));
  const unsigned own = current;
  std::memcpy(&fibres[own].value, &value, sizeof value);
  sync_warp(site, mask);
  read(int(own % 32), [&](int lane) {
    T found = value;
    const unsigned other = own / 32 * 32 + unsigned(lane);
    if (other < threads && mask >> lane & 1) std::memcpy(&found, &fibres[other].value, sizeof found);
    else complain("reads a lane that takes no part", own, site);
    return found;
  });
  // Nobody's value is replaced before all have read.
  sync_warp(site | 0x80000000, mask);
}

template <class T, class F> T update(T *place, F next) {
  const T old = *place;
  *place = next(old);
  return old;
}

// Lets the lanes go on that have all come to one place; returns whether there were any.
inline bool release_warps() {
  bool any = false;
  for (unsigned thread = 0; thread < threads; thread++) {
    if (fibres[thread].state != State::at_warp) continue;
    const Fibre self = fibres[thread];
    bool all = self.mask >> thread % 32 & 1;
    for (unsigned lane = 0; lane < 32; lane++) {
      const unsigned other = thread / 32 * 32 + lane;
      if (self.mask >> lane & 1)
        all = all && other < threads && fibres[other].state == State::at_warp && fibres[other].site == self.site &&
              fibres[other].mask == self.mask;
    }
    for (unsigned lane = 0; all && lane < 32; lane++)
      if (self.mask >> lane & 1) fibres[thread / 32 * 32 + lane].state = State::ready;
    any = any || all;
  }
  return any;
}

// Lets a block go on that has come to one barrier; returns whether it has.
inline bool release_block() {
  for (unsigned thread = 0; thread < threads; thread++) {
    const Fibre &self = fibres[thread];
    const char *why = self.state == State::at_warp             ? "waits for lanes that do not come"
                      : self.state != fibres[0].state          ? "waits for threads that have ended, or has ended"
                      : self.site != fibres[0].site            ? "waits at another barrier than thread 0"
                                                               : nullptr;
    if (why) {
      complain(why, thread, self.site);
      return false;
    }
  }
  for (Fibre &fibre : fibres) fibre.state = State::ready;
  return true;
}

inline void run_block(bool descending) {
  for (Fibre &fibre : fibres) {
    std::memcpy(fibre.stack, &untouched, sizeof untouched);
    prepare(fibre.context, fibre.stack, stack_bytes, start);
    fibre.state = State::ready;
  }
  for (;;) {
    bool ran = false, done = true;
    for (unsigned k = 0; k < threads; k++) {
      current = descending ? threads - 1 - k : k;
      if (fibres[current].state == State::ready) {
        thread_index = {current, 0, 0};
        go(scheduler, fibres[current].context);
        ran = true;
      }
      done = done && fibres[current].state == State::done;
    }
    if (done || (!release_warps() && !ran && !release_block())) break;
  }
  for (Fibre &fibre : fibres)
    if (std::memcmp(fibre.stack, &untouched, sizeof untouched) != 0) complaints += "a fibre's stack is too small\n";
}

inline void run(void (*body)(void *const *), void *const *list, unsigned first, unsigned last, bool descending) {
  kernel = body;
  arguments = list;
  for (std::size_t have = fibres.size(); have < threads; have++)
    fibres.push_back({{}, State::done, 0, 0, 0, static_cast<char *>(std::malloc(stack_bytes))});
  while (fibres.size() > threads) {
    std::free(fibres.back().stack);
    fibres.pop_back();
  }
  for (unsigned block = first; block < last && complaints.empty(); block++) {
    block_index = {block, 0, 0};
    run_block(descending);
  }
}
} // namespace coc
