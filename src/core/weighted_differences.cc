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

}  // namespace

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
