#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/kernel/theta.h"
#include "core/linalg/growing_cholesky.h"

namespace splitgp::rivals {

/// Observations as columns, in order of arrival.
struct Batch {
  Eigen::Ref<const Eigen::MatrixXd> X;
  Eigen::Ref<const Eigen::MatrixXd> Y;
  Eigen::Ref<const Eigen::VectorXd> noise_variance;  // one per column
  std::vector<std::uint64_t> sequence;
};

/// An exact GP on any number of observations: the building block of all rivals.
///
/// The core's LocalGp is the same for one cell of a partition, with a bound on its size and a
/// sibling's observations. This one has neither, grows by a fifth at a time (a doubled factor would
/// be four times as large), and works in blocks when many rows or queries come at once.
class ExactGp {
 public:
  ExactGp(Eigen::Index inputs, Eigen::Index outputs, ThetaPointer theta);

  /// O(n²) per observation; a batch is several times as fast as one by one.
  void append(const Batch& batch);
  /// Removes observation j. O(n²)
  void remove(Eigen::Index j);
  /// Factorises again with θ. O(n³)
  void refit(ThetaPointer theta);
  /// A GP on these observations only. O(k³)
  ExactGp subset(const std::vector<Eigen::Index>& rows) const;

  /// Means (p × q), and latent variances (q) of an output of scale 1, at the columns of X.
  struct Posterior {
    Eigen::MatrixXd mean;
    Eigen::VectorXd variance;
  };
  Posterior predict(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

  Eigen::Index size() const { return std::ssize(sequence_); }
  const Eigen::VectorXd& center() const { return center_; }
  const Hyperparameters& theta() const { return theta_->values; }
  /// n × d and n × p.
  auto inputs() const { return inputs_.topRows(size()); }
  auto outputs() const { return outputs_.topRows(size()); }
  auto noise_variance() const { return noise_variance_.head(size()); }
  std::uint64_t sequence(Eigen::Index j) const { return sequence_[static_cast<std::size_t>(j)]; }
  std::size_t memory_bytes() const;

 private:
  void reserve(Eigen::Index rows);
  void grow_for(Eigen::Index rows);
  void factorise_rest();
  bool factorise_block(Eigen::Index rows);
  void factorise_row();
  double diagonal(Eigen::Index row) const;
  double rounding(Eigen::Index row) const;
  void append_solved(const Eigen::Ref<const Eigen::VectorXd>& w, double pivot);
  Eigen::MatrixXd covariances(const Eigen::Ref<const Eigen::MatrixXd>& points,
                              const Eigen::Ref<const Eigen::MatrixXd>& columns) const;

  ThetaPointer theta_;
  Eigen::VectorXd center_;
  // Row j belongs to observation j; rows beyond size() are spare.
  Eigen::MatrixXd inputs_;
  Eigen::MatrixXd outputs_;
  Eigen::VectorXd noise_variance_;
  std::vector<std::uint64_t> sequence_;
  GrowingCholesky factor_;
  Eigen::MatrixXd solved_;  // z = L⁻¹ (y − mean) / output_scale, for each output
};

}  // namespace splitgp::rivals
