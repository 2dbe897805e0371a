#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "splitgp/error.h"
#include "splitgp/hyperparameters.h"
#include "splitgp/options.h"
#include "splitgp/results.h"

/// Other methods of streaming GP regression, to compare SplittingGp with. They share its kernels,
/// its Train, its training schedule and the bound on a training's cost, so that only the methods
/// differ; docs/rivals.md describes each one and what was chosen where its paper is silent.
namespace splitgp::rivals {

/// What all rivals have in common; the fields mean what they mean in splitgp::Options.
struct CommonOptions {
  KernelFamily kernel = KernelFamily::automatic;
  Training training = Training::inlined;  ///< inlined or off; background is rejected.
  int training_observations = 3000;
  FixedHyperparameters fixed;
  std::optional<Hyperparameters> hyperparameters;
  std::uint64_t seed = 0;
};

/// A rival: update, predict and train as SplittingGp does.
///
/// Threads: const methods may run from many threads at once; every other method needs exclusive
/// access. Errors: InvalidArgument; the model is then unchanged. A new θ refits everything at once.
/// A batch of queries is predicted in blocks for speed, so the last bits may depend on its size.
class Regressor {
 public:
  Regressor(Regressor&&) noexcept;
  Regressor& operator=(Regressor&&) noexcept;
  virtual ~Regressor();

  void update(const Eigen::Ref<const Eigen::VectorXd>& x,
              const Eigen::Ref<const Eigen::VectorXd>& y, double noise_variance = 0.0) {
    update_batch(x, y, Eigen::VectorXd::Constant(1, noise_variance));
  }

  /// Learns the columns of X and Y in order. `noise_variance` is empty or has one value per column.
  /// A bad value anywhere rejects the whole batch.
  void update_batch(const Eigen::Ref<const ColumnMatrix>& X,
                    const Eigen::Ref<const ColumnMatrix>& Y,
                    const Eigen::Ref<const Eigen::VectorXd>& noise_variance = Eigen::VectorXd()) {
    update_batch(MatrixView(X), MatrixView(Y), MatrixView(noise_variance));
  }

  /// Predicts at the columns of X. Without observations the answer is the prior.
  Prediction predict(const Eigen::Ref<const ColumnMatrix>& X) const {
    return predict(MatrixView(X));
  }

  /// Trains now, whatever the schedule says; adopted = false with fewer than two observations.
  TrainResult train();
  const std::vector<TrainResult>& training_history() const;

  /// Adopts θ and refits.
  void set_hyperparameters(Hyperparameters theta);
  const Hyperparameters& hyperparameters() const;
  /// Counts the changes of θ.
  std::uint64_t theta_version() const;

  Eigen::Index n_inputs() const;
  Eigen::Index n_outputs() const;
  std::uint64_t n_observations() const;
  /// Experts, local models or leaves that hold observations; 1 for a full GP.
  Eigen::Index n_local() const;
  /// All memory the model holds, spare capacity included.
  std::size_t memory_bytes() const;

 protected:
  struct State;  // src/rivals/regressor.h
  explicit Regressor(std::unique_ptr<State> state);

 private:
  void update_batch(MatrixView X, MatrixView Y, MatrixView noise_variance);
  Prediction predict(MatrixView X) const;

  std::unique_ptr<State> state_;
};

/// The exact GP on all observations. Update O(n²), predict O(n²), memory n²/2.
class FullGp : public Regressor {
 public:
  using Options = CommonOptions;
  FullGp(Eigen::Index inputs, Eigen::Index outputs, const Options& options = {});
};

/// How the experts' predictions are combined.
enum class Combination {
  rbcm,  ///< Robust Bayesian committee machine: entropy weights and the prior's correction.
  bcm,   ///< Bayesian committee machine: the correction, weights 1.
  poe,   ///< Product of experts.
  gpoe,  ///< Generalised product of experts, weights 1/E.
};
std::string_view to_string(Combination value);
Combination parse_combination(std::string_view field, std::string_view text);

struct RobustBcmOptions : CommonOptions {
  int experts = 10;
  Combination combination = Combination::rbcm;
};

/// Deisenroth & Ng, "Distributed Gaussian Processes" (ICML 2015): E experts, each an exact GP on a
/// random share of the stream. Update O((n/E)²), predict O(n²/E).
class RobustBcm : public Regressor {
 public:
  using Options = RobustBcmOptions;
  RobustBcm(Eigen::Index inputs, Eigen::Index outputs, const Options& options = {});
};

struct LocalGpRegressionOptions : CommonOptions {
  /// w_gen: an input whose correlation with every center is below this starts a new local model.
  double generate_threshold = 1e-3;
  /// M: how many of the most similar models are asked; 0 means all.
  int neighbors = 8;
  /// The most observations in one model; beyond it, each new one displaces the oldest. 0 means no
  /// limit.
  int most_observations = 0;
};

/// Nguyen-Tuong, Peters & Seeger, "Local Gaussian Process Regression for Real Time Online Model
/// Learning and Control" (NIPS 2008; Advanced Robotics 2009).
class LocalGpRegression : public Regressor {
 public:
  using Options = LocalGpRegressionOptions;
  LocalGpRegression(Eigen::Index inputs, Eigen::Index outputs, const Options& options = {});
};

/// How the leaves of a LoG-GP are combined.
enum class LeafCombination {
  gpoe,  ///< Generalised product of experts, weights p: the better of the paper's two.
  moe,   ///< Mixture of experts, weights p.
};
std::string_view to_string(LeafCombination value);
LeafCombination parse_leaf_combination(std::string_view field, std::string_view text);

struct LocallyGrowingGpOptions : CommonOptions {
  int split_limit = 100;  ///< A leaf with this many points is split.
  /// Width of the region in which a point may go to either child, as a fraction of the leaf's
  /// extent.
  double overlap = 0.1;
  LeafCombination combination = LeafCombination::gpoe;
};

/// Lederer et al., "Gaussian Process-Based Real-Time Learning for Safety Critical Applications"
/// (ICML 2021): LoG-GP, a locally growing random tree of GPs. Update O(m² + depth).
class LocallyGrowingGp : public Regressor {
 public:
  using Options = LocallyGrowingGpOptions;
  LocallyGrowingGp(Eigen::Index inputs, Eigen::Index outputs, const Options& options = {});
};

}  // namespace splitgp::rivals
