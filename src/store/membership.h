#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "splitgp/options.h"

namespace splitgp::store {

/// A history that no model can have.
class Inconsistent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Which observations each local GP holds, found by replaying what each observation did: where it
/// was routed, what it displaced, whether it caused a split, who borrowed it. Replaying is exact,
/// because no number is computed, and fast; and a checkpoint has to write only what is new, not the
/// lists of all local GPs that changed.
///
/// Every step is checked, so that a file cannot claim anything a model could not have done.
class Membership {
 public:
  /// In the factor's order, which is the order of arrival.
  struct Members {
    std::vector<std::uint64_t> sequence;
    std::vector<std::uint8_t> owned;
    Eigen::Index n_owned = 0;
  };

  explicit Membership(const Options& options)
      : split_limit_(options.split_limit),
        capacity_(options.capacity),
        inherit_(options.comparison.inherit) {}

  /// Adds a local GP that was there from the start.
  void start_with(Members points);

  /// Adds a local GP of a file that has lists: in the factor's order, which need not be that of
  /// arrival.
  void add_listed(Members points);

  /// Update: `sequence` goes to a local GP and, if that would hold more than capacity + 1 points,
  /// displaces a borrowed one. O(capacity)
  void route(std::uint64_t sequence, std::uint64_t local_gp,
             std::optional<std::uint64_t> displaced);

  /// `sequence` is also borrowed by another local GP, after a split if there was one. O(capacity)
  void borrow(std::uint64_t sequence, std::uint64_t local_gp,
              std::optional<std::uint64_t> displaced);

  /// Split: `leaving`, in order, go to the child; the rest stay. O(capacity)
  void split(Eigen::Index parent, Eigen::Index child, const std::vector<std::uint64_t>& leaving);

  /// Call after the last step.
  std::vector<Members> finish() &&;

  Eigen::Index size() const { return std::ssize(local_gps_); }

 private:
  Members& at(std::uint64_t local_gp);
  void displace(std::uint64_t local_gp, std::uint64_t displaced);
  void check(const Members& points, std::size_t local_gp) const;

  Eigen::Index split_limit_;
  Eigen::Index capacity_;
  bool inherit_;
  std::vector<Members> local_gps_;
};

}  // namespace splitgp::store
