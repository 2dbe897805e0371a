#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

namespace splitgp {

/// Which inputs share a length scale. A category that is a code of several columns has one, so that
/// the kernel sees "the same" or "different" in it, and Train one parameter instead of many.
class LengthScaleGroups {
 public:
  LengthScaleGroups() = default;
  /// Every input has its own.
  explicit LengthScaleGroups(Eigen::Index inputs) : LengthScaleGroups(inputs, {}) {}
  /// Inputs with the same number share one; an empty list is the same as none.
  /// REQUIRES: it is empty or has a number for each input.
  LengthScaleGroups(Eigen::Index inputs, const std::vector<int>& numbers) {
    std::vector<int> known;
    for (Eigen::Index k = 0; k < inputs; ++k) {
      Eigen::Index group = std::ssize(members_);
      if (!numbers.empty()) {
        const int number = numbers[static_cast<std::size_t>(k)];
        group = std::find(known.begin(), known.end(), number) - known.begin();
        if (group == std::ssize(known)) known.push_back(number);
      }
      if (group == std::ssize(members_)) members_.emplace_back();
      members_[static_cast<std::size_t>(group)].push_back(k);
      group_.push_back(group);
    }
  }

  /// How many length scales there are to learn.
  Eigen::Index size() const { return std::ssize(members_); }
  Eigen::Index inputs() const { return std::ssize(group_); }
  /// The group of an input; groups are counted in the order of their first inputs.
  Eigen::Index of(Eigen::Index input) const { return group_[static_cast<std::size_t>(input)]; }
  const std::vector<Eigen::Index>& members(Eigen::Index group) const {
    return members_[static_cast<std::size_t>(group)];
  }

 private:
  std::vector<Eigen::Index> group_;                 // of each input
  std::vector<std::vector<Eigen::Index>> members_;  // of each group, in ascending order
};

}  // namespace splitgp
