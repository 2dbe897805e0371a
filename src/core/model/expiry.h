#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace splitgp {

/// The times of the observations that have not expired, oldest first: a ring, which allocates
/// nothing while as many leave as come.
class Expiry {
 public:
  struct Entry {
    std::uint64_t sequence = 0;
    double time = 0.0;
  };
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const Entry& oldest() const { return ring_[first_]; }
  const Entry& newest() const { return (*this)[count_ - 1]; }
  const Entry& operator[](std::size_t i) const { return ring_[(first_ + i) % ring_.size()]; }

  void add(const Entry& entry) {
    if (count_ == ring_.size()) grow();
    ring_[(first_ + count_++) % ring_.size()] = entry;
  }
  void drop_oldest() {
    first_ = (first_ + 1) % ring_.size();
    --count_;
  }
  void clear() { *this = Expiry(); }
  std::size_t memory_bytes() const { return ring_.capacity() * sizeof(Entry); }

 private:
  void grow() {
    std::vector<Entry> larger(ring_.empty() ? 16 : 2 * ring_.size());
    for (std::size_t i = 0; i < count_; ++i) larger[i] = (*this)[i];
    ring_ = std::move(larger);
    first_ = 0;
  }

  std::vector<Entry> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace splitgp
