#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace splitgp::serve {

/// Coverage of the 95 % interval and the mean of z² (NIS) over the last 1,000 values that came.
class Recent {
 public:
  static constexpr std::size_t kRows = 1000;

  void add(bool covered, double z_squared) {
    if (covered_.size() < kRows) {
      covered_.push_back(covered);
      squares_.push_back(z_squared);
    } else {
      covered_[next_] = covered;
      squares_[next_] = z_squared;
    }
    next_ = (next_ + 1) % kRows;
  }
  std::size_t rows() const { return covered_.size(); }
  double coverage() const {
    double sum = 0.0;
    for (const bool one : covered_) sum += one ? 1.0 : 0.0;
    return covered_.empty() ? 0.0 : sum / static_cast<double>(covered_.size());
  }
  double mean_square() const {
    double sum = 0.0;
    for (const double one : squares_) sum += one;
    return squares_.empty() ? 0.0 : sum / static_cast<double>(squares_.size());
  }

 private:
  std::vector<bool> covered_;
  std::vector<double> squares_;
  std::size_t next_ = 0;
};

}  // namespace splitgp::serve
