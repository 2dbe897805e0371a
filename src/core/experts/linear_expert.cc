#include "core/experts/linear_expert.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/base/operations.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr std::uint64_t kFirstOpinion = 16;  // rows before the first opinion
constexpr double kFar = 8.0;                 // standard deviations; inputs farther away count less
constexpr double kLargestInput = 1e60;       // so that no sum overflows

}  // namespace

LinearExpert::LinearExpert(Index inputs, Index outputs)
    : next_(kFirstOpinion),
      origin_(VectorXd::Zero(inputs)),
      output_origin_(VectorXd::Zero(outputs)) {
  if (!follows()) return;
  squares_.setZero(inputs + 1, inputs + 1);
  products_.setZero(inputs + 1, outputs);
  spread_.setZero(inputs);
  middle_.setZero(inputs);
  slopes_.setZero(inputs, outputs);
  at_origin_.setZero(outputs);
  z_.setZero(inputs + 1);
  system_.setZero(inputs + 1, inputs + 1);
  solution_.setZero(inputs + 1, outputs);
}

void LinearExpert::learn(const Eigen::Ref<const VectorXd>& x, const Eigen::Ref<const VectorXd>& y) {
  if (!follows()) return;
  if (rows_++ == 0) {
    origin_ = x;
    output_origin_ = y;
  }
  z_(0) = 1.0;
  double farthest = kFar;
  for (Index k = 0; k < x.size(); ++k) {
    z_(k + 1) = std::clamp(x(k) - origin_(k), -kLargestInput, kLargestInput);
    if (knows_ && spread_(k) > 0.0)
      farthest = std::max(farthest, std::abs(z_(k + 1) - middle_(k)) / spread_(k));
  }
  z_ *= kFar / farthest;
  squares_.selfadjointView<Eigen::Lower>().rankUpdate(z_);
  for (Index o = 0; o < y.size(); ++o)
    products_.col(o) += (kFar / farthest * (y(o) - output_origin_(o))) * z_;
  count_operations(z_.size() * z_.size() + z_.size() * y.size());
  if (rows_ < next_) return;
  if (rows_ == kFirstOpinion) move_origin();
  refresh();
  count_operations(refresh_operations());
}

void LinearExpert::forget() {
  if (rows_ > 0 && rows_ < kFirstOpinion)
    *this = LinearExpert(origin_.size(), output_origin_.size());
}

Index LinearExpert::refresh_operations() const {
  const Index d = origin_.size();
  return d * d * d + 4 * d * (d + output_origin_.size());
}

Index LinearExpert::most_operations() const {
  const Index wide = origin_.size() + 1;
  return follows() ? wide * (wide + output_origin_.size()) + refresh_operations() : 0;
}

// To the means: nothing of a single row stays, and sums of small numbers lose no digits.
void LinearExpert::move_origin() {
  const Index d = origin_.size();
  const double n = squares_(0, 0);
  middle_ = squares_.col(0).tail(d) / n;
  for (Index j = 0; j < d; ++j) {
    for (Index i = j; i < d; ++i) squares_(i + 1, j + 1) -= n * middle_(i) * middle_(j);
    squares_(j + 1, 0) = 0.0;
    products_.row(j + 1) -= middle_(j) * products_.row(0);
  }
  origin_ += middle_;
  for (Index o = 0; o < output_origin_.size(); ++o) output_origin_(o) += products_(0, o) / n;
  products_.row(0).setZero();
}

// In units of the inputs' spread, so that a penalty of 1 is a prior worth one row.
void LinearExpert::refresh() {
  next_ = rows_ + std::max<std::uint64_t>(1, rows_ / 16);
  const Index d = origin_.size();
  const double n = squares_(0, 0);
  middle_ = squares_.col(0).tail(d) / n;
  for (Index k = 0; k < d; ++k) {
    const double square = squares_(k + 1, k + 1) / n;
    const double variance = square - middle_(k) * middle_(k);
    spread_(k) = variance > 1e-12 * square ? std::sqrt(variance) : 0.0;
  }
  const auto unit = [&](Index k) { return spread_(k) > 0.0 ? 1.0 / spread_(k) : 0.0; };
  auto system = system_.topLeftCorner(d, d);
  auto solution = solution_.topRows(d);
  for (Index j = 0; j < d; ++j) {
    for (Index i = j; i < d; ++i) {
      system(i, j) = (squares_(i + 1, j + 1) - n * middle_(i) * middle_(j)) * unit(i) * unit(j);
    }
    system(j, j) += 1.0;
    solution.row(j) = (products_.row(j + 1) - middle_(j) * products_.row(0)) * unit(j);
  }
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>, Eigen::Lower> factor(system);
  if (factor.info() != Eigen::Success) return;
  factor.solveInPlace(solution);
  if (!solution.allFinite()) return;
  for (Index k = 0; k < d; ++k) slopes_.row(k) = solution.row(k) * unit(k);
  for (Index o = 0; o < at_origin_.size(); ++o)
    at_origin_(o) = output_origin_(o) + products_(0, o) / n - slopes_.col(o).dot(middle_);
  knows_ = slopes_.allFinite() && at_origin_.allFinite();
}

// Everything that is kept, in one order for writing and reading.
template <class Self, class Each>
void LinearExpert::each(Self& self, const Each& each) {
  const auto all = [&](auto& matrix) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      for (Index i = 0; i < matrix.rows(); ++i) each(matrix(i, j));
    }
  };
  if (!self.follows()) return;
  each(self.rows_);
  each(self.next_);
  each(self.knows_);
  all(self.origin_);
  all(self.output_origin_);
  for (Index j = 0; j < self.squares_.cols(); ++j) {
    for (Index i = j; i < self.squares_.rows(); ++i) each(self.squares_(i, j));
  }
  all(self.products_);
  all(self.spread_);
  all(self.middle_);
  all(self.slopes_);
  all(self.at_origin_);
}

std::size_t LinearExpert::n_numbers() const {
  std::size_t result = 0;
  each(*this, [&](const auto&) { ++result; });
  return result;
}

void LinearExpert::put(double*& out) const {
  each(*this, [&](const auto& one) { *out++ = static_cast<double>(one); });
}

void LinearExpert::take(const double*& in) {
  each(*this, [&](auto& one) { one = static_cast<std::remove_cvref_t<decltype(one)>>(*in++); });
}

std::size_t LinearExpert::memory_bytes() const { return 3 * n_numbers() * sizeof(double); }

}  // namespace splitgp
