// The program around the kernels: reads launches from the standard input, runs them, writes to the standard output what they
// left in their buffers. Everything is in the byte order of the machine; src/process.rs writes and reads the other end.
#pragma once
#include <cstdio>
#include <cstdlib>

namespace coc {
struct Launch {
  std::uint32_t kernel, grid, first, last, threads, shared, descending, arguments;
};

struct Argument {
  std::uint32_t is_buffer, bytes;
};

constexpr std::size_t zone = 64;
constexpr unsigned char mark = 0xa5;

inline bool get(void *to, std::size_t bytes) { return std::fread(to, 1, bytes, stdin) == bytes; }
inline void put(const void *from, std::size_t bytes) {
  if (std::fwrite(from, 1, bytes, stdout) != bytes) std::exit(2);
}

// Memory between two zones that a stray write would mark.
inline unsigned char *fenced(std::size_t bytes) {
  unsigned char *whole = static_cast<unsigned char *>(std::aligned_alloc(zone, (bytes + 3 * zone - 1) / zone * zone));
  std::memset(whole, mark, bytes + 2 * zone);
  return whole + zone;
}

inline bool is_whole(const unsigned char *inner, std::size_t bytes) {
  for (std::size_t i = 0; i < zone; i++)
    if (inner[-std::ptrdiff_t(i) - 1] != mark || inner[bytes + i] != mark) return false;
  return true;
}

template <class... A, std::size_t... I>
void call(void (*kernel)(A...), void *const *list, std::index_sequence<I...>) {
  kernel(*static_cast<A *>(list[I])...);
}

// As cuLaunchKernel: a list of pointers to the arguments.
template <class... A> void call(void (*kernel)(A...), void *const *list) {
  call(kernel, list, std::index_sequence_for<A...>{});
}

// The shared memory of the launch, of one block after another.
inline unsigned char *dynamic_shared;

template <auto kernel> void enter(void *const *list) { call(kernel, list); }

inline int serve(void (*const kernels[])(void *const *)) {
  Launch launch;
  while (get(&launch, sizeof launch)) {
    std::vector<Argument> kinds(launch.arguments);
    std::vector<unsigned char *> places(launch.arguments);
    std::vector<void *> list;
    for (std::size_t i = 0; i < kinds.size(); i++) {
      if (!get(&kinds[i], sizeof kinds[i])) return 2;
      places[i] = fenced(kinds[i].bytes);
      if (!get(places[i], kinds[i].bytes)) return 2;
      list.push_back(kinds[i].is_buffer ? static_cast<void *>(&places[i]) : places[i]);
    }
    complaints.clear();
    threads = launch.threads;
    grid_size = {launch.grid, 1, 1};
    dynamic_shared = fenced(launch.shared);
    run(kernels[launch.kernel], list.data(), launch.first, launch.last, launch.descending != 0);
    for (std::size_t i = 0; i < kinds.size(); i++)
      if (!is_whole(places[i], kinds[i].bytes)) complaints += "writes beside argument " + std::to_string(i) + "\n";
    if (!is_whole(dynamic_shared, launch.shared)) complaints += "writes beside the dynamic shared memory\n";
    std::free(dynamic_shared - zone);
    const std::uint32_t length = std::uint32_t(complaints.size());
    put(&length, sizeof length);
    put(complaints.data(), length);
    for (std::size_t i = 0; i < kinds.size(); i++) {
      if (kinds[i].is_buffer) put(places[i], kinds[i].bytes);
      std::free(places[i] - zone);
    }
    std::fflush(stdout);
  }
  return 0;
}
} // namespace coc
