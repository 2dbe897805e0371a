#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>

namespace splitgp {

/// When queries are answered for, counted in rows of the stream: 1 is the row that comes next, h
/// the row h − 1 rows after that one.
///
/// One number for all queries, or a view of one for each, which must outlive it.
class Ahead {
 public:
  /// For a query whose time is unknown, such as a row held out at random.
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  Ahead(double rows = 1.0) : for_all_(rows) {}
  Ahead(const double* rows, std::ptrdiff_t queries) : for_each_(rows), size_(queries) {}
  Ahead(const Eigen::VectorXd& rows) : Ahead(rows.data(), rows.size()) {}

  bool is_for_all() const { return for_each_ == nullptr; }
  /// How many queries it is for, unless it is for all.
  std::ptrdiff_t size() const { return size_; }
  double of(std::ptrdiff_t query) const { return is_for_all() ? for_all_ : for_each_[query]; }

 private:
  double for_all_ = 1.0;
  const double* for_each_ = nullptr;
  std::ptrdiff_t size_ = 0;
};

}  // namespace splitgp
