#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rivals/compiled_rivals.h"
#include "rivals/rivals.h"
#include "rivals/training_draw.h"

namespace splitgp::rivals {

using Eigen::Index;

namespace {

class Committee : public Method {
 public:
  Committee(const RivalState& model, const RobustBcm::Options& options)
      : combination_(options.combination), random_(options.seed) {
    if (options.experts < 1) {
      throw InvalidArgument("experts is " + std::to_string(options.experts) +
                            "; it must be at least 1");
    }
    for (int e = 0; e < options.experts; ++e) {
      experts_.emplace_back(model.inputs(), model.outputs(), model.knowledge.theta);
    }
  }

  void learn(const Batch& batch) override {
    std::vector<std::vector<Index>> columns(experts_.size());
    for (Index i = 0; i < batch.X.cols(); ++i) columns[next_expert()].push_back(i);
    for (std::size_t e = 0; e < experts_.size(); ++e) {
      if (columns[e].empty()) continue;
      const Eigen::MatrixXd X = batch.X(Eigen::all, columns[e]);
      const Eigen::MatrixXd Y = batch.Y(Eigen::all, columns[e]);
      const Eigen::VectorXd noise = batch.noise_variance(columns[e]);
      std::vector<std::uint64_t> sequence;
      for (const Index i : columns[e])
        sequence.push_back(batch.sequence[static_cast<std::size_t>(i)]);
      experts_[e].append({X, Y, noise, std::move(sequence)});
    }
  }

  void refit(const ThetaPointer& theta) override {
    for (ExactGp& expert : experts_) expert.refit(theta);
  }

  // Deisenroth & Ng. With precisions t = 1/σ², β_k the weight of
  // expert k and t_0 the prior's precision, all four are
  //   t = (correction) t_0 + Σ β_k (t_k − (correction) t_0),   μ = m + Σ β_k t_k (μ_k − m) / t,
  // where the correction is 1 for the committee machines and 0 for the products. Written like this,
  // no precision is ever the difference of two large ones: t_k ≥ t_0.
  void predict(const Eigen::Ref<const Eigen::MatrixXd>& X, Prediction& result) const override {
    const Hyperparameters& theta = experts_.front().theta();
    const double prior = 1.0 / theta.signal_variance;
    const bool corrected = combination_ == Combination::rbcm || combination_ == Combination::bcm;
    const double subtracted = corrected ? prior : 0.0;
    const double weight =
        combination_ == Combination::gpoe ? 1.0 / static_cast<double>(n_local()) : 1.0;
    Eigen::ArrayXd precision = Eigen::ArrayXd::Constant(X.cols(), subtracted);
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(result.mean.rows(), X.cols());
    for (const ExactGp& expert : experts_) {
      if (expert.size() == 0) continue;
      const ExactGp::Posterior posterior = expert.predict(X);
      const Eigen::ArrayXd variance = posterior.variance.array();
      Eigen::ArrayXd beta = Eigen::ArrayXd::Constant(X.cols(), weight);
      // Half the difference in differential entropy from prior to posterior.
      if (combination_ == Combination::rbcm) beta = -0.5 * (variance * prior).log();
      precision += beta * (variance.inverse() - subtracted);
      sum.array() +=
          (posterior.mean.colwise() - theta.mean).array().rowwise() * (beta / variance).transpose();
    }
    result.mean = (sum.array().rowwise() / precision.transpose()).matrix().colwise() + theta.mean;
    // The prior's variances are already there.
    result.variance.array().rowwise() *= (prior / precision).transpose();
  }

  TrainingSet training_set(const RivalState& model) const override {
    std::vector<const ExactGp*> parts;
    for (const ExactGp& expert : experts_) {
      if (expert.size() > 0) parts.push_back(&expert);
    }
    return draw_from_shares(model, parts);
  }

  Index n_local() const override {
    return std::count_if(experts_.begin(), experts_.end(),
                         [](const ExactGp& expert) { return expert.size() > 0; });
  }

  std::size_t memory_bytes() const override {
    std::size_t bytes = sizeof(*this) + order_.capacity() * sizeof(std::size_t) +
                        (experts_.capacity() - experts_.size()) * sizeof(ExactGp);
    for (const ExactGp& expert : experts_) bytes += expert.memory_bytes();
    return bytes;
  }

 private:
  // Every round of E observations visits the experts in a new random order, so that their sizes
  // never differ by more than one.
  std::size_t next_expert() {
    if (order_.empty()) {
      order_.resize(experts_.size());
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      for (std::size_t i = order_.size(); i > 1; --i)
        std::swap(order_[i - 1], order_[random_() % i]);
    }
    const std::size_t expert = order_.back();
    order_.pop_back();
    return expert;
  }

  Combination combination_;
  std::mt19937_64 random_;
  std::vector<std::size_t> order_;  // experts left in this round
  std::vector<ExactGp> experts_;
};

}  // namespace

std::unique_ptr<Method> make_robust_bcm(const RivalState& model,
                                        const RobustBcm::Options& options) {
  return std::make_unique<Committee>(model, options);
}

}  // namespace splitgp::rivals
