// The threads of a block as threads of the processor, so that ThreadSanitizer sees which accesses nothing orders. Blocks
// run one after another on the same threads.
#pragma once
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

#define __shared__ static

namespace coc {
inline thread_local Index thread_index, block_index;
inline Index grid_size;
inline std::string complaints;
inline unsigned threads;

// Two, used in turn: with one, the acquire at the end of a barrier would take in what early threads release at the
// next, and hide the races between the two.
struct Barrier {
  pthread_barrier_t turns[2];
  void of(unsigned count) {
    for (auto &turn : turns) pthread_barrier_init(&turn, nullptr, count);
  }
  void end() {
    for (auto &turn : turns) pthread_barrier_destroy(&turn);
  }
};
inline Barrier block_barrier, warp_barriers[32];
inline thread_local unsigned block_turn, warp_turn;
inline std::uint64_t values[1024];

inline void sync_block(unsigned) { pthread_barrier_wait(&block_barrier.turns[block_turn++ % 2]); }

inline unsigned lanes(unsigned warp) { return threads - warp * 32 < 32 ? threads - warp * 32 : 32; }

inline void sync_warp(unsigned, unsigned) {
  pthread_barrier_wait(&warp_barriers[thread_index.x / 32].turns[warp_turn++ % 2]);
}

template <class T, class F> void exchange(unsigned site, unsigned mask, T value, F read) {
  static_assert(sizeof value <= sizeof(std::uint64_t));
  const unsigned own = thread_index.x;
  std::memcpy(&values[own], &value, sizeof value);
  sync_warp(site, mask);
  read(int(own % 32), [&](int lane) {
    T found;
    std::memcpy(&found, &values[own / 32 * 32 + unsigned(lane)], sizeof found);
    return found;
  });
  sync_warp(site, mask);
}

template <class T, class F> T update(T *place, F next) {
  T old;
  __atomic_load(place, &old, __ATOMIC_RELAXED);
  for (;;) {
    T wanted = next(old);
    if (__atomic_compare_exchange(place, &old, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}

inline void run(void (*body)(void *const *), void *const *list, unsigned first, unsigned last, bool descending) {
  const unsigned warps = (threads + 31) / 32;
  block_barrier.of(threads);
  for (unsigned warp = 0; warp < warps; warp++) warp_barriers[warp].of(lanes(warp));
  std::vector<std::thread> all;
  for (unsigned k = 0; k < threads; k++) {
    const unsigned thread = descending ? threads - 1 - k : k;
    all.emplace_back([=] {
      thread_index = {thread, 0, 0};
      for (unsigned block = first; block < last; block++) {
        block_index = {block, 0, 0};
        body(list);
        // Shared memory is that of the next block now.
        sync_block(0);
      }
    });
  }
  for (std::thread &thread : all) thread.join();
  block_barrier.end();
  for (unsigned warp = 0; warp < warps; warp++) warp_barriers[warp].end();
}
} // namespace coc
