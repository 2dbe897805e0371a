#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/partition/centers.h"
#include "rivals/compiled_rivals.h"
#include "rivals/rivals.h"
#include "rivals/training_draw.h"
#include "rivals/votes.h"

namespace splitgp::rivals {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

class LocalModels : public Method {
 public:
  LocalModels(const RivalState& model, const LocalGpRegression::Options& options)
      : inputs_(model.inputs()),
        outputs_(model.outputs()),
        theta_(model.knowledge.theta),
        log_threshold_(std::log(options.generate_threshold)),
        neighbors_(options.neighbors),
        most_observations_(options.most_observations),
        centers_(model.inputs()) {
    if (!(options.generate_threshold > 0.0 && options.generate_threshold < 1.0)) {
      throw InvalidArgument("generate_threshold is " + std::to_string(options.generate_threshold) +
                            "; it must lie between 0 and 1");
    }
    if (options.neighbors < 0) {
      throw InvalidArgument("neighbors is " + std::to_string(options.neighbors) +
                            "; it must be at least 1, or 0 for all models");
    }
    if (options.most_observations < 0) {
      throw InvalidArgument("most_observations is " + std::to_string(options.most_observations) +
                            "; it must be at least 1, or 0 for no limit");
    }
  }

  // The paper's Algorithm 1.
  void learn(const Batch& batch) override {
    for (Index i = 0; i < batch.X.cols(); ++i) {
      const Index k = model_for(batch.X.col(i));
      if (k == n_local()) models_.emplace_back(inputs_, outputs_, theta_);
      ExactGp& local = models_[static_cast<std::size_t>(k)];
      local.append({batch.X.col(i),
                    batch.Y.col(i),
                    batch.noise_variance.segment(i, 1),
                    {batch.sequence[static_cast<std::size_t>(i)]}});
      if (most_observations_ > 0 && local.size() > most_observations_) local.remove(0);
      centers_.set(k, local.center(), theta_->kernel);
    }
  }

  // w_gen is a similarity under θ, so another θ means another partition: the one these observations
  // would have produced under it.
  void refit(const ThetaPointer& theta) override {
    theta_ = theta;
    const std::vector<ExactGp> old = std::exchange(models_, {});
    centers_ = Centers(inputs_);
    std::vector<Held> all;
    for (const ExactGp& part : old) {
      for (Index row = 0; row < part.size(); ++row) all.push_back({&part, row});
    }
    std::sort(all.begin(), all.end(), [](const Held& a, const Held& b) {
      return a.part->sequence(a.row) < b.part->sequence(b.row);
    });
    std::vector<std::vector<Held>> groups;
    std::vector<VectorXd> means;
    for (const Held& held : all) {
      const auto k = static_cast<std::size_t>(model_for(held.x()));
      if (k == groups.size()) {
        groups.emplace_back();
        means.push_back(VectorXd::Zero(inputs_));
      }
      std::vector<Held>& group = groups[k];
      group.push_back(held);
      if (most_observations_ > 0 && std::ssize(group) > most_observations_) {
        group.erase(group.begin());
        means[k].setZero();
        for (const Held& kept : group) means[k] += kept.x() / static_cast<double>(group.size());
      } else {
        means[k] += (held.x() - means[k]) / static_cast<double>(group.size());
      }
      centers_.set(static_cast<Index>(k), means[k], theta_->kernel);
    }
    for (const std::vector<Held>& group : groups) models_.push_back(gather(group));
  }

  // The paper's Algorithm 2: ŷ = Σ w_k ŷ_k / Σ w_k over the M nearest models. It derives the
  // weights as p(k | x), so the variance is that of the mixture they define.
  void predict(const Eigen::Ref<const MatrixXd>& X, Prediction& result) const override {
    const Index count = neighbors_ == 0 ? centers_.size() : Index{neighbors_};
    std::vector<Neighbor> neighbors;
    Votes votes(models_.size());
    for (Index i = 0; i < X.cols(); ++i) {
      centers_.most_similar(theta_->kernel, X.col(i), count, neighbors);
      const auto log_similarity = [&](const Neighbor& neighbor) {
        return theta_->kernel.log_similarity(neighbor.squared_distance);
      };
      const double largest = log_similarity(neighbors.front());
      double total = 0.0;
      for (const Neighbor& neighbor : neighbors)
        total += std::exp(log_similarity(neighbor) - largest);
      for (const Neighbor& neighbor : neighbors) {
        const double weight = std::exp(log_similarity(neighbor) - largest) / total;
        votes[static_cast<std::size_t>(neighbor.local_gp)].push_back({i, weight});
      }
    }
    predict_mixture(models_, votes, X, theta_->values, result);
  }

  TrainingSet training_set(const RivalState& model) const override {
    std::vector<const ExactGp*> parts;
    for (const ExactGp& local : models_) parts.push_back(&local);
    return draw_from_regions(model, parts);
  }

  Index n_local() const override { return std::ssize(models_); }

  std::size_t memory_bytes() const override {
    std::size_t bytes = sizeof(*this) + centers_.memory_bytes() +
                        (models_.capacity() - models_.size()) * sizeof(ExactGp);
    for (const ExactGp& local : models_) bytes += local.memory_bytes();
    return bytes;
  }

 private:
  // One observation among all, wherever it is held.
  struct Held {
    const ExactGp* part;
    Index row;
    VectorXd x() const { return part->inputs().row(row).transpose(); }
  };

  // The most similar model or, if none is similar enough, the number of a new one.
  Index model_for(const Eigen::Ref<const VectorXd>& x) {
    if (centers_.size() == 0) return 0;
    std::vector<Neighbor> nearest;
    centers_.most_similar(theta_->kernel, x, 1, nearest);
    const double similarity = theta_->kernel.log_similarity(nearest.front().squared_distance);
    return similarity >= log_threshold_ ? nearest.front().local_gp : centers_.size();
  }

  ExactGp gather(const std::vector<Held>& group) const {
    MatrixXd X(inputs_, std::ssize(group));
    MatrixXd Y(outputs_, std::ssize(group));
    VectorXd noise(std::ssize(group));
    std::vector<std::uint64_t> sequence;
    for (Index i = 0; i < std::ssize(group); ++i) {
      const Held& held = group[static_cast<std::size_t>(i)];
      X.col(i) = held.x();
      Y.col(i) = held.part->outputs().row(held.row).transpose();
      noise(i) = held.part->noise_variance()(held.row);
      sequence.push_back(held.part->sequence(held.row));
    }
    ExactGp local(inputs_, outputs_, theta_);
    local.append({X, Y, noise, std::move(sequence)});
    return local;
  }

  Index inputs_;
  Index outputs_;
  ThetaPointer theta_;
  double log_threshold_;
  int neighbors_;
  int most_observations_;
  std::vector<ExactGp> models_;
  Centers centers_;
};

}  // namespace

std::unique_ptr<Method> make_local_gp_regression(const RivalState& model,
                                                 const LocalGpRegression::Options& options) {
  return std::make_unique<LocalModels>(model, options);
}

}  // namespace splitgp::rivals
