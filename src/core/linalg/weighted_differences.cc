#include "core/linalg/weighted_differences.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "core/base/operations.h"
#include "core/linalg/lanes.h"

namespace splitgp {

using Eigen::Index;

namespace {

// Sums that run side by side: as many as hide the time that one addition takes. Those beyond the
// last input or column repeat it.
constexpr int kInputsTogether = 4;
constexpr int kColumnsTogether = 2;

struct Operands {
  const double* points[kInputsTogether];
  double x[kInputsTogether];
  const double* weights[kColumnsTogether];
};

Lanes load_lanes(const double* values) {
  Lanes lanes;
  std::memcpy(&lanes, values, sizeof lanes);
  return lanes;
}

// The last one to three values, and zeros.
Lanes load_last(const double* values, Index count) {
  double padded[Lanes::kCount] = {};
  std::memcpy(padded, values, static_cast<std::size_t>(count) * sizeof(double));
  return load_lanes(padded);
}

Lanes everywhere(double value) {
  Lanes lanes;
  for (auto& part : lanes.part) part = value - typename Lanes::Register{};
  return lanes;
}

void add_up(const Operands& operands, Index n,
            double (&result)[kInputsTogether][kColumnsTogether]) {
  Lanes sums[kInputsTogether][kColumnsTogether]{};
  Lanes x[kInputsTogether];
  for (int k = 0; k < kInputsTogether; ++k) x[k] = everywhere(operands.x[k]);
  const auto add = [&](const auto& values) __attribute__((always_inline)) {
    Lanes weights[kColumnsTogether];
#pragma GCC unroll 2
    for (int v = 0; v < kColumnsTogether; ++v) weights[v] = values(operands.weights[v]);
#pragma GCC unroll 4
    for (int k = 0; k < kInputsTogether; ++k) {
      const Lanes difference = values(operands.points[k]) - x[k];
#pragma GCC unroll 2
      for (int v = 0; v < kColumnsTogether; ++v) sums[k][v].add(weights[v], difference);
    }
  };
  Index j = 0;
  for (; j + Lanes::kCount <= n; j += Lanes::kCount)
    add([j](const double* values)
            __attribute__((always_inline)) { return load_lanes(values + j); });
  if (j < n) add([j, n](const double* values) { return load_last(values + j, n - j); });
  for (int k = 0; k < kInputsTogether; ++k) {
    for (int v = 0; v < kColumnsTogether; ++v) result[k][v] = sums[k][v].sum();
  }
}

// With many columns, these are in the lanes, and no sum runs across them: one multiply-add for each
// point, input and register of columns, whose other factor is the same difference in all lanes.
#ifdef __AVX512F__
constexpr int kWide = 8;
#else
constexpr int kWide = 4;
#endif
using Wide [[gnu::vector_size(kWide * sizeof(double))]] = double;
constexpr Index kMostTogether = 8;  // inputs: as many chains of additions hide the time of one

// Σ_j columns(j)·factor(j)·difference(j) for each of kInputs inputs.
template <int kInputs>
void add_up_wide(const double* columns, const double* factors, const double* differences, Index n,
                 double (*result)[kWide]) {
  Wide sums[kInputs]{};
  for (Index j = 0; j < n; ++j) {
    Wide weight;
    std::memcpy(&weight, columns + j * kWide, sizeof weight);
    weight *= factors[j];
#pragma GCC unroll 8
    for (int k = 0; k < kInputs; ++k) sums[k] += weight * differences[k * n + j];
  }
  std::memcpy(result, sums, sizeof sums);
}

// What a column is divided by: its product with a difference may be infinite otherwise.
double unit_of(const Eigen::Ref<const Eigen::VectorXd>& column) {
  const double largest = column.size() == 0 ? 0.0 : column.cwiseAbs().maxCoeff();
  return largest < std::numeric_limits<double>::min() ? 1.0 : largest;
}

}  // namespace

void WeightedDifferences::reserve(Index n, Index columns) {
  const Index groups = (columns + kWide - 1) / kWide;
  const auto fill = [](std::vector<double>& values, Index count) {
    if (std::ssize(values) < count) values.resize(static_cast<std::size_t>(count));
  };
  fill(columns_, groups * kWide * n);
  fill(units_, groups * kWide);
  fill(factors_, n);
  fill(differences_, kMostTogether * n);
}

void WeightedDifferences::set_column(Index v, const Eigen::Ref<const Eigen::VectorXd>& values) {
  double* to = columns_.data() + v / kWide * kWide * n_ + v % kWide;
  const double unit = unit_of(values);
  units_[static_cast<std::size_t>(v)] = unit;
  const double inverse = 1.0 / unit;
  for (Index j = 0; j < n_; ++j, to += kWide) *to = values(j) * inverse;
}

void WeightedDifferences::begin(Index n, Index columns) {
  n_ = n;
  count_ = columns;
  reserve(n, columns);
  // Lanes without a column.
  for (Index v = columns; v % kWide != 0; ++v) {
    double* to = columns_.data() + v / kWide * kWide * n + v % kWide;
    for (Index j = 0; j < n; ++j, to += kWide) *to = 0.0;
  }
}

void WeightedDifferences::sum(const Eigen::Ref<const Eigen::MatrixXd>& points,
                              const Eigen::Ref<const Eigen::VectorXd>& x,
                              const Eigen::VectorXd& scale,
                              const Eigen::Ref<const Eigen::VectorXd>& factors,
                              Eigen::Ref<Eigen::MatrixXd> result) {
  const Index d = points.cols();
  assert(points.rows() == n_ && result.rows() == d && result.cols() == count_);
  count_operations(n_ * d * count_);
  const double factor_unit = unit_of(factors);
  Eigen::Map<Eigen::ArrayXd>(factors_.data(), n_) = factors.array() * (1.0 / factor_unit);
  for (Index k = 0; k < d; k += kMostTogether) {
    const Index inputs = std::min(kMostTogether, d - k);
    const Index together = inputs <= kMostTogether / 2 ? kMostTogether / 2 : kMostTogether;
    for (Index a = 0; a < together; ++a) {
      Eigen::Map<Eigen::ArrayXd> difference(differences_.data() + a * n_, n_);
      if (a < inputs) {
        difference = points.col(k + a).array() - x(k + a);
      } else {
        difference.setZero();
      }
    }
    for (Index first = 0; first < count_; first += kWide) {
      double sums[kMostTogether][kWide];
      const double* columns = columns_.data() + first * n_;
      if (together == kMostTogether) {
        add_up_wide<kMostTogether>(columns, factors_.data(), differences_.data(), n_, sums);
      } else {
        add_up_wide<kMostTogether / 2>(columns, factors_.data(), differences_.data(), n_, sums);
      }
      for (Index lane = 0; lane < kWide && first + lane < count_; ++lane) {
        const double unit = units_[static_cast<std::size_t>(first + lane)];
        for (Index a = 0; a < inputs; ++a) {
          result(k + a, first + lane) =
              sums[a][lane] * scale(k + a) * unit * scale(k + a) * factor_unit;
        }
      }
    }
  }
}

void weighted_differences(const Eigen::Ref<const Eigen::MatrixXd>& points,
                          const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::VectorXd& scale,
                          Eigen::Ref<Eigen::MatrixXd> weights, Eigen::Ref<Eigen::MatrixXd> result) {
  const Index n = points.rows();
  const Index d = points.cols();
  const Index columns = weights.cols();
  count_operations(n * d * columns);
  assert(weights.rows() == n && result.rows() == d && result.cols() == columns);
  for (Index v = 0; v < columns; v += kColumnsTogether) {
    Operands operands{};
    double largest[kColumnsTogether] = {};
    for (int b = 0; b < kColumnsTogether; ++b) {
      auto column = weights.col(std::min(v + b, columns - 1));
      operands.weights[b] = column.data();
      if (v + b >= columns) continue;
      // Relative to the largest: its product with a difference may be infinite.
      largest[b] = n == 0 ? 0.0 : column.cwiseAbs().maxCoeff();
      if (largest[b] < std::numeric_limits<double>::min()) {
        largest[b] = 1.0;
      } else {
        column *= 1.0 / largest[b];
      }
    }
    for (Index k = 0; k < d; k += kInputsTogether) {
      for (int a = 0; a < kInputsTogether; ++a) {
        const Index input = std::min(k + a, d - 1);
        operands.points[a] = points.col(input).data();
        operands.x[a] = x(input);
      }
      double sums[kInputsTogether][kColumnsTogether];
      add_up(operands, n, sums);
      for (Index a = 0; a < kInputsTogether && k + a < d; ++a) {
        for (Index b = 0; b < kColumnsTogether && v + b < columns; ++b)
          result(k + a, v + b) = sums[a][b] * scale(k + a) * largest[b] * scale(k + a);
      }
    }
  }
}

}  // namespace splitgp
