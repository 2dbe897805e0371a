#pragma once

#include <cstddef>

namespace splitgp {

/// Memory for the factors, which are most of a model, on pages of 2 MB where the system has them.
///
/// A solve reads its factor once, usually from main memory. On pages of 4 kB the processor looks up
/// where a page is for every 128 columns of a panel, and stops fetching ahead at the end of each:
/// a fifth of the time of a prediction at 500 points (kin40k, 148 instead of 112 to 123 µs).
///
/// One for all models and for all compilations of the core, because what one allocates another may
/// free. Thread-safe.
namespace factor_memory {

void* allocate(std::size_t bytes);
void release(void* memory, std::size_t bytes) noexcept;

/// Touches what will be allocated next, half as much as there is, at most 16 MB. The first touch of
/// a large page takes 0.2 ms as a rule, on a virtual machine 5 ms now and then. Trainings call
/// this: they take longer than that anyway, and the stream grows by half until the next.
void touch_ahead();

}  // namespace factor_memory

/// For the standard containers.
template <typename T>
struct FactorAllocator {
  using value_type = T;
  FactorAllocator() = default;
  template <typename U>
  FactorAllocator(const FactorAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(factor_memory::allocate(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t n) noexcept {
    factor_memory::release(memory, n * sizeof(T));
  }
  friend bool operator==(const FactorAllocator&, const FactorAllocator&) { return true; }
};

}  // namespace splitgp
