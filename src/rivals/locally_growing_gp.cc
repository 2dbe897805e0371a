#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rivals/compiled_rivals.h"
#include "rivals/random_tree.h"
#include "rivals/rivals.h"
#include "rivals/training_draw.h"
#include "rivals/votes.h"

namespace splitgp::rivals {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

class GrowingTree : public Method {
 public:
  GrowingTree(const RivalState& model, const LocallyGrowingGp::Options& options)
      : split_limit_(options.split_limit),
        overlap_(options.overlap),
        combination_(options.combination),
        random_(options.seed) {
    if (options.split_limit < 2) {
      throw InvalidArgument("split_limit is " + std::to_string(options.split_limit) +
                            "; it must be at least 2");
    }
    if (!(options.overlap >= 0.0 && options.overlap <= 1.0)) {
      throw InvalidArgument("overlap is " + std::to_string(options.overlap) +
                            "; it must lie between 0 and 1");
    }
    leaves_.emplace_back(model.inputs(), model.outputs(), model.knowledge.theta);
  }

  void learn(const Batch& batch) override {
    for (Index i = 0; i < batch.X.cols(); ++i) {
      const Index leaf = tree_.draw_leaf(batch.X.col(i), random_);
      ExactGp& local = leaves_[static_cast<std::size_t>(leaf)];
      local.append({batch.X.col(i),
                    batch.Y.col(i),
                    batch.noise_variance.segment(i, 1),
                    {batch.sequence[static_cast<std::size_t>(i)]}});
      if (local.size() >= split_limit_) split(leaf);
    }
  }

  void refit(const ThetaPointer& theta) override {
    for (ExactGp& leaf : leaves_) leaf.refit(theta);
  }

  void predict(const Eigen::Ref<const MatrixXd>& X, Prediction& result) const override {
    Votes votes(leaves_.size());
    std::vector<RandomTree::Active> active;
    for (Index i = 0; i < X.cols(); ++i) {
      tree_.active_leaves(X.col(i), active);
      for (const auto& [leaf, probability] : active) {
        votes[static_cast<std::size_t>(leaf)].push_back({i, probability});
      }
    }
    const Hyperparameters& theta = leaves_.front().theta();
    if (combination_ == LeafCombination::moe) {
      predict_mixture(leaves_, votes, X, theta, result);
    } else {
      predict_product(leaves_, votes, X, theta, result);
    }
  }

  TrainingSet training_set(const RivalState& model) const override {
    std::vector<const ExactGp*> parts;
    for (const ExactGp& leaf : leaves_) parts.push_back(&leaf);
    return draw_from_regions(model, parts);
  }

  Index n_local() const override { return leaves_.front().size() > 0 ? std::ssize(leaves_) : 0; }

  std::size_t memory_bytes() const override {
    std::size_t bytes = sizeof(*this) + tree_.memory_bytes() +
                        (leaves_.capacity() - leaves_.size()) * sizeof(ExactGp);
    for (const ExactGp& leaf : leaves_) bytes += leaf.memory_bytes();
    return bytes;
  }

 private:
  // Cuts along the input with the largest extent, at its mean; each point goes to a child drawn
  // with the same probabilities as for later points.
  void split(Index leaf) {
    ExactGp& parent = leaves_[static_cast<std::size_t>(leaf)];
    const VectorXd extent =
        parent.inputs().colwise().maxCoeff() - parent.inputs().colwise().minCoeff();
    RandomTree::Cut cut;
    extent.maxCoeff(&cut.dimension);
    cut.position = parent.center()(cut.dimension);
    cut.width = overlap_ * extent(cut.dimension);

    std::vector<Index> left, right;
    double most_right = -1.0;
    double least_right = 2.0;
    Index rightmost = 0;
    Index leftmost = 0;
    for (Index row = 0; row < parent.size(); ++row) {
      const double probability = cut.probability_right(parent.inputs().row(row).transpose());
      (uniform(random_) < probability ? right : left).push_back(row);
      if (probability > most_right) most_right = probability, rightmost = row;
      if (probability < least_right) least_right = probability, leftmost = row;
    }
    // Neither child stays empty, whatever was drawn.
    if (right.empty()) std::erase(left, rightmost), right.push_back(rightmost);
    if (left.empty()) std::erase(right, leftmost), left.push_back(leftmost);

    ExactGp second = parent.subset(right);
    parent = parent.subset(left);
    tree_.split(leaf, std::ssize(leaves_), cut);
    leaves_.push_back(std::move(second));
  }

  int split_limit_;
  double overlap_;
  LeafCombination combination_;
  std::mt19937_64 random_;
  RandomTree tree_;
  std::vector<ExactGp> leaves_;
};

}  // namespace

std::unique_ptr<Method> make_locally_growing_gp(const RivalState& model,
                                                const LocallyGrowingGp::Options& options) {
  return std::make_unique<GrowingTree>(model, options);
}

}  // namespace splitgp::rivals
