#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <utility>

#include "splitgp/splitting_gp.h"
#include "support/reference_kernel.h"

namespace splitgp::testing {

/// The textbook GP (Rasmussen & Williams, equations 2.23 and 2.24), sharing nothing with the
/// library: reference kernel values, a dense pivoted LDLᵀ solve, each output in its own units.
class FullGp {
 public:
  /// θ with every part given; `noise_variance` has one value per column of X.
  FullGp(Hyperparameters theta, Eigen::MatrixXd X, Eigen::MatrixXd Y,
         const Eigen::VectorXd& noise_variance)
      : theta_(std::move(theta)), X_(std::move(X)), Y_(std::move(Y)) {
    const Eigen::Index n = X_.cols();
    Eigen::MatrixXd K(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      K.col(i) = similarities(X_.col(i));
      K(i, i) += theta_.noise_variance + noise_variance(i);
    }
    solver_.compute(K);
  }

  Prediction predict(const Eigen::MatrixXd& queries) const {
    Prediction result;
    result.mean.resize(Y_.rows(), queries.cols());
    result.variance.resize(Y_.rows(), queries.cols());
    result.noise_variance.resize(Y_.rows(), queries.cols());
    for (Eigen::Index q = 0; q < queries.cols(); ++q) {
      const Eigen::VectorXd k = similarities(queries.col(q));
      const Eigen::VectorXd weights = solver_.solve(k);
      const double variance = theta_.signal_variance - k.dot(weights);
      for (Eigen::Index o = 0; o < Y_.rows(); ++o) {
        const double squared_scale = theta_.output_scale(o) * theta_.output_scale(o);
        const Eigen::VectorXd residual = Y_.row(o).transpose().array() - theta_.mean(o);
        result.mean(o, q) = theta_.mean(o) + weights.dot(residual);
        result.variance(o, q) = squared_scale * variance;
        result.noise_variance(o, q) = squared_scale * theta_.noise_variance;
      }
    }
    return result;
  }

 private:
  Eigen::VectorXd similarities(const Eigen::VectorXd& x) const {
    Eigen::VectorXd k(X_.cols());
    for (Eigen::Index i = 0; i < X_.cols(); ++i) {
      k(i) = static_cast<double>(reference_kernel(theta_, X_.col(i), x));
    }
    return k;
  }

  Hyperparameters theta_;
  Eigen::MatrixXd X_;
  Eigen::MatrixXd Y_;
  Eigen::LDLT<Eigen::MatrixXd> solver_;
};

}  // namespace splitgp::testing
