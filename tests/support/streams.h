#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>

#include "support/random_matrix.h"

namespace splitgp::testing {

/// Inputs as columns, uniform on [-reach, reach]^d.
inline Eigen::MatrixXd uniform_inputs(Random& random, Eigen::Index inputs, Eigen::Index n,
                                      double reach = 1.0) {
  return (2.0 * random.uniform_matrix(inputs, n).array() - 1.0) * reach;
}

/// Observations as columns, in order of arrival.
struct Stream {
  Eigen::MatrixXd X;
  Eigen::MatrixXd Y;
};

/// A smooth function on [-1, 1]^d, different for each output, with noise of standard deviation 0.1.
inline Stream smooth_stream(std::uint64_t seed, Eigen::Index inputs, Eigen::Index outputs,
                            Eigen::Index n) {
  Random random(seed);
  Stream stream;
  stream.X = uniform_inputs(random, inputs, n);
  stream.Y.resize(outputs, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index o = 0; o < outputs; ++o) {
      const double phase = 2.0 * stream.X.col(i).sum() + stream.X(0, i) + static_cast<double>(o);
      stream.Y(o, i) = std::sin(phase) + 0.1 * random.normal();
    }
  }
  return stream;
}

}  // namespace splitgp::testing
