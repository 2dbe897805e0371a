#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <utility>
#include <vector>

#include "splitgp/results.h"

namespace splitgp {

/// The latest alarms, at most kMost, oldest first: a ring, in which a new one takes the memory of
/// the oldest.
class RecentAlarms {
 public:
  static constexpr std::size_t kMost = 1000;

  std::size_t size() const { return size_; }
  const Alarm& operator[](std::size_t i) const { return ring_[(first_ + i) % ring_.size()]; }

  void push_back(const Alarm& alarm) {
    if (size_ < kMost) {
      if (size_ == ring_.size()) {
        ring_.push_back(alarm);
      } else {
        ring_[size_] = alarm;
      }
      ++size_;
      return;
    }
    ring_[first_] = alarm;
    first_ = (first_ + 1) % kMost;
  }

  std::size_t reserved() const { return ring_.size(); }
  /// Takes the memory of all, so that none allocates later.
  void reserve(Eigen::Index inputs) {
    Alarm spare;
    spare.lower.resize(inputs);
    spare.upper.resize(inputs);
    ring_.resize(kMost, spare);
  }

 private:
  std::vector<Alarm> ring_;  // not full: the first begins it, and the rest is spare
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace splitgp
