#include "core/weighted_differences.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "core/lanes.h"
#include "core/operations.h"

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
constexpr int kInputsInLoop = 8;  // as many chains of additions hide the time that one takes

// Σ_j weights(j)·difference(j) for each of the inputs.
void add_up_wide(const double* weights, const double* differences, Index n,
                 double (&result)[kInputsInLoop][kWide]) {
  Wide sums[kInputsInLoop]{};
  for (Index j = 0; j < n; ++j) {
    Wide weight;
    std::memcpy(&weight, weights + j * kWide, sizeof weight);
#pragma GCC unroll 8
    for (int k = 0; k < kInputsInLoop; ++k) sums[k] += weight * differences[k * n + j];
  }
  std::memcpy(result, sums, sizeof result);
}

// Relative to the largest of a column: its product with a difference may be infinite.
double unit_of(const Eigen::Ref<const Eigen::VectorXd>& column) {
  const double largest = column.size() == 0 ? 0.0 : column.cwiseAbs().maxCoeff();
  return largest < std::numeric_limits<double>::min() ? 1.0 : largest;
}

}  // namespace

void WeightedDifferences::reserve(Index n) {
  if (std::ssize(weights_) < kWide * n) weights_.resize(static_cast<std::size_t>(kWide * n));
  if (std::ssize(differences_) < kInputsInLoop * n)
    differences_.resize(static_cast<std::size_t>(kInputsInLoop * n));
}

void WeightedDifferences::sum(const Eigen::Ref<const Eigen::MatrixXd>& points,
                              const Eigen::Ref<const Eigen::VectorXd>& x,
                              const Eigen::VectorXd& scale, Eigen::Ref<Eigen::MatrixXd> weights,
                              Eigen::Ref<Eigen::MatrixXd> result) {
  if (weights.cols() < kFewestWide) {
    weighted_differences(points, x, scale, weights, result);
    return;
  }
  const Index n = points.rows();
  const Index d = points.cols();
  const Index columns = weights.cols();
  assert(weights.rows() == n && result.rows() == d && result.cols() == columns);
  count_operations(n * d * columns);
  reserve(n);
  for (Index v = 0; v < columns; v += kWide) {
    double unit[kWide];
    for (Index lane = 0; lane < kWide; ++lane) {
      double* to = weights_.data() + lane;
      if (v + lane >= columns) {
        for (Index j = 0; j < n; ++j, to += kWide) *to = 0.0;
        continue;
      }
      const auto column = weights.col(v + lane);
      unit[lane] = unit_of(column);
      const double inverse = unit[lane] == 1.0 ? 1.0 : 1.0 / unit[lane];
      const double* from = column.data();
      for (Index j = 0; j < n; ++j, to += kWide) *to = from[j] * inverse;
    }
    for (Index k = 0; k < d; k += kInputsInLoop) {
      const Index inputs = std::min<Index>(kInputsInLoop, d - k);
      for (Index a = 0; a < kInputsInLoop; ++a) {
        Eigen::Map<Eigen::ArrayXd> difference(differences_.data() + a * n, n);
        if (a < inputs) {
          difference = points.col(k + a).array() - x(k + a);
        } else {
          difference.setZero();
        }
      }
      double sums[kInputsInLoop][kWide];
      add_up_wide(weights_.data(), differences_.data(), n, sums);
      for (Index lane = 0; lane < kWide && v + lane < columns; ++lane) {
        for (Index a = 0; a < inputs; ++a)
          result(k + a, v + lane) = sums[a][lane] * scale(k + a) * unit[lane] * scale(k + a);
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
