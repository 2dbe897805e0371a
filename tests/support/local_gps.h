#pragma once

#include <memory>

#include "core/local_gp/local_gp.h"
#include "core/options/validate.h"
#include "support/full_gp.h"
#include "support/streams.h"

namespace splitgp::testing {

/// θ with every part filled in, ready for a local GP.
inline ThetaPointer make_theta(Hyperparameters values, Eigen::Index inputs, Eigen::Index outputs,
                               std::uint64_t version = 0) {
  return std::make_shared<Theta>(complete(std::move(values), inputs, outputs), version);
}

/// A local GP that has learned the columns of `stream` in order, numbered from 0.
inline LocalGp local_gp_of(const Stream& stream, const ThetaPointer& theta,
                           const Options& options) {
  LocalGp local(stream.X.rows(), stream.Y.rows(), theta, options);
  Workspace workspace;
  for (Eigen::Index i = 0; i < stream.X.cols(); ++i) {
    local.append({stream.X.col(i), stream.Y.col(i), 0.0, static_cast<std::uint64_t>(i)}, workspace);
  }
  return local;
}

/// Inputs alone, as columns; the outputs are 0.
inline LocalGp local_gp_of(const Eigen::MatrixXd& X, Hyperparameters theta, Options options) {
  options.split_limit = options.capacity = static_cast<int>(X.cols());
  return local_gp_of({X, Eigen::MatrixXd::Zero(1, X.cols())}, make_theta(theta, X.rows(), 1),
                     options);
}

/// The numbers of the observations it owns, in its order.
inline std::vector<std::uint64_t> owned_sequences(const LocalGp& local) {
  std::vector<std::uint64_t> result;
  for (Eigen::Index j = 0; j < local.size(); ++j) {
    if (local.owns(j)) result.push_back(local.sequence(j));
  }
  return result;
}

/// The dense GP over the points it says it holds.
inline FullGp full_gp_of(const LocalGp& local) {
  return FullGp(local.theta().values, local.inputs().transpose(), local.outputs().transpose(),
                local.noise_variance());
}

}  // namespace splitgp::testing
