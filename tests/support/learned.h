#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>

#include "splitgp/splitting_gp.h"
#include "support/random_matrix.h"
#include "support/streams.h"

namespace splitgp::testing {

/// y = f(x) + noise at standard normal inputs.
template <typename Function>
Stream noisy(Eigen::Index inputs, Eigen::Index n, double noise, std::uint64_t seed,
             const Function& f) {
  Random random(seed);
  Stream stream{random.normal_matrix(inputs, n), Eigen::MatrixXd(1, n)};
  for (Eigen::Index i = 0; i < n; ++i)
    stream.Y(0, i) = f(stream.X.col(i)) + noise * random.normal();
  return stream;
}

inline double wave(const Eigen::VectorXd& x) { return std::sin(2.0 * x(0)) + 0.5 * x(1); }

inline SplittingGp learned(const Stream& stream, Options options = {}) {
  SplittingGp model(stream.X.rows(), stream.Y.rows(), options);
  model.update_batch(stream.X, stream.Y);
  return model;
}

inline double rmse(const SplittingGp& model, const Stream& test) {
  const Prediction prediction = model.predict(test.X);
  return std::sqrt((prediction.mean - test.Y).squaredNorm() / static_cast<double>(test.Y.size()));
}

}  // namespace splitgp::testing
