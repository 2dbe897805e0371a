#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>

/// Every allocation of the program comes through here, Eigen's and SQLite's too: they call malloc.
/// For a program of one file, or a unity build, because it defines malloc. Under the address
/// sanitizer, whose own malloc must not be replaced, nothing is counted and nothing fails.
namespace splitgp::testing {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kOwnMalloc = false;
#else
inline constexpr bool kOwnMalloc = true;
#endif

// Both of one thread: others may train meanwhile.
inline thread_local bool counting = false;
inline thread_local long before_failure = -1;  // allocations that still succeed; -1: all
inline thread_local long failing = 0;          // allocations that fail after those
inline std::atomic<long> allocations = 0;

/// While it lives, this thread's (after + 1)-th allocation fails, and `count` in all.
class NoMemory {
 public:
  static constexpr long kAll = 1L << 60;
  explicit NoMemory(long after, long count = kAll) {
    failing = count;
    before_failure = after;
  }
  ~NoMemory() { before_failure = -1; }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
  static bool ran_out() { return before_failure == 0; }
};

inline bool may_allocate() {
  if (counting) allocations.fetch_add(1);
  if (before_failure < 0) return true;
  if (before_failure > 0) return before_failure-- > 0;
  if (failing == 0) return true;
  --failing;
  errno = ENOMEM;
  return false;
}

}  // namespace splitgp::testing

#ifndef __SANITIZE_ADDRESS__
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);

extern "C" void* malloc(std::size_t size) {
  return splitgp::testing::may_allocate() ? __libc_malloc(size) : nullptr;
}
extern "C" void* calloc(std::size_t n, std::size_t size) {
  return splitgp::testing::may_allocate() ? __libc_calloc(n, size) : nullptr;
}
extern "C" void* realloc(void* memory, std::size_t size) {
  return splitgp::testing::may_allocate() ? __libc_realloc(memory, size) : nullptr;
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return splitgp::testing::may_allocate() ? __libc_memalign(alignment, size) : nullptr;
}
#endif
