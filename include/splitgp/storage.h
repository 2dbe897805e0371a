#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <utility>
#include <vector>

namespace splitgp {

/// Eigen::MatrixXd, also in a program whose matrices are row-major by default.
using ColumnMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

/// Numbers owned by the caller, in column-major order: how inputs reach the library.
struct MatrixView {
  const double* data = nullptr;
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t cols = 0;
  std::ptrdiff_t stride = 0;  ///< From one column to the next.

  explicit MatrixView(const Eigen::Ref<const ColumnMatrix>& m)
      : data(m.data()), rows(m.rows()), cols(m.cols()), stride(m.outerStride()) {}
  explicit MatrixView(const Eigen::Ref<const Eigen::VectorXd>& v)
      : data(v.data()), rows(v.size()), cols(1), stride(v.size()) {}
};

/// Numbers that a result or θ owns: `Vector` is used like an Eigen::VectorXd and `Matrix` like an
/// Eigen::MatrixXd, but the memory is a std::vector's.
///
/// How Eigen allocates depends on how a program is compiled: -march, sanitizers,
/// EIGEN_MAX_ALIGN_BYTES. An Eigen::MatrixXd allocated in the library and freed in a program with
/// other settings would crash, so what crosses the boundary is plain memory and an Eigen::Map of
/// it.
template <typename Dense>
class Owned : public Eigen::Map<Dense> {
  using Map = Eigen::Map<Dense>;

 public:
  using Index = Eigen::Index;

  Owned() : Owned(0, Dense::ColsAtCompileTime == 1 ? 1 : 0) {}
  Owned(Index rows, Index cols)
      : Map(nullptr, rows, cols), values_(static_cast<std::size_t>(rows * cols)) {
    look_at_values(rows, cols);
  }
  Owned(std::initializer_list<double> values) requires(Dense::ColsAtCompileTime == 1)
      : Map(nullptr, std::ssize(values), 1), values_(values) {
    look_at_values(std::ssize(values), 1);
  }
  template <typename Other>
  Owned(const Eigen::EigenBase<Other>& other) : Owned() {
    *this = other;
  }
  Owned(const Owned& other) : Map(other), values_(other.values_) {
    look_at_values(other.rows(), other.cols());
  }
  Owned(Owned&& other) noexcept : Map(other), values_(std::move(other.values_)) {
    look_at_values(other.rows(), other.cols());
    other.resize(0, Dense::ColsAtCompileTime == 1 ? 1 : 0);
  }

  Owned& operator=(const Owned& other) {
    if (this == &other) return *this;
    values_ = other.values_;
    look_at_values(other.rows(), other.cols());
    return *this;
  }
  Owned& operator=(Owned&& other) noexcept {
    if (this == &other) return *this;
    values_ = std::move(other.values_);
    look_at_values(other.rows(), other.cols());
    other.resize(0, Dense::ColsAtCompileTime == 1 ? 1 : 0);
    return *this;
  }
  template <typename Other>
  Owned& operator=(const Eigen::EigenBase<Other>& other) {
    const Dense evaluated = other.derived();  // it may refer to this object
    resize(evaluated.rows(), evaluated.cols());
    static_cast<Map&>(*this) = evaluated;
    return *this;
  }

  /// Reuses its memory; the values are then unspecified.
  void resize(Index rows, Index cols) {
    values_.resize(static_cast<std::size_t>(rows * cols));
    look_at_values(rows, cols);
  }
  void resize(Index size) requires(Dense::ColsAtCompileTime == 1) { resize(size, 1); }

 private:
  // Eigen's own way to point a Map elsewhere.
  void look_at_values(Index rows, Index cols) noexcept {
    new (static_cast<Map*>(this)) Map(values_.data(), rows, cols);
  }

  std::vector<double> values_;
};

using Vector = Owned<Eigen::VectorXd>;
using Matrix = Owned<ColumnMatrix>;

}  // namespace splitgp
