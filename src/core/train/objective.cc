#include "core/train/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/train/fisher_information.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Enough observations for the information of θ, few enough to cost less than an evaluation.
constexpr Index kFewestForInformation = 40;
constexpr Index kMostForInformation = 120;

// Σ n³ from which on sharing the blocks saves more than starting a thread costs.
constexpr double kWorthAThread = 1e7;

}  // namespace

void Objective::remember(const Hyperparameters& theta, double strength) {
  remembered_ = parameters(theta);
  memory_ = strength;
}

// Each block by itself, added up in their order: the same sum for any number of threads.
double Objective::sum_over(const std::vector<TrainingSet::Block>& blocks,
                           const Hyperparameters& theta, VectorXd* gradient) {
  double cost = 0.0;
  for (const TrainingSet::Block& block : blocks)
    cost += std::pow(static_cast<double>(block.inputs.rows()), 3);
  const Index threads = cost < kWorthAThread ? 1 : std::ssize(likelihoods_);
  std::vector<double> values(blocks.size());
  MatrixXd gradients = MatrixXd::Zero(order().size(), std::ssize(blocks));
  parallel_ranges(threads, static_cast<int>(threads), [&](Index thread, Index) {
    VectorXd of_block(order().size());
    for (Index i = thread; i < std::ssize(blocks); i += threads) {
      of_block.setZero();
      const auto at = static_cast<std::size_t>(i);
      values[at] = likelihoods_[static_cast<std::size_t>(thread)].of(
          blocks[at], theta, set_.length_scale_groups, gradient == nullptr ? nullptr : &of_block);
      gradients.col(i) = of_block;
    }
  });
  double sum = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    sum += values[i];
    if (gradient != nullptr) *gradient += gradients.col(static_cast<Index>(i));
  }
  return sum;
}

double Objective::value(const VectorXd& parameters, VectorXd* gradient) {
  const Hyperparameters theta = this->theta(parameters);
  VectorXd natural = VectorXd::Zero(order().size());
  double sum = sum_over(set_.blocks, theta, gradient == nullptr ? nullptr : &natural);
  if (!given_.empty()) {
    VectorXd of_given = VectorXd::Zero(order().size());
    sum -= sum_over(given_, theta, gradient == nullptr ? nullptr : &of_given);
    natural -= of_given;
  }
  if (!std::isfinite(sum)) {
    if (gradient != nullptr) gradient->setZero(size());
    return -std::numeric_limits<double>::infinity();
  }
  if (gradient != nullptr) *gradient = this->gradient(natural);
  sum += log_prior(parameters, gradient);
  const double n = static_cast<double>(std::max<Index>(1, set_.observations) * theta.mean.size());
  if (gradient != nullptr) *gradient /= n;
  if (gradient != nullptr && memory_ > 0.0) *gradient -= memory_ * (parameters - remembered_);
  return sum / n - pull(parameters);
}

MatrixXd Objective::curvature(const VectorXd& parameters) const {
  const Index points =
      std::clamp(set_.observations / 4, kFewestForInformation, kMostForInformation);
  const MatrixXd information =
      fisher_information(set_.blocks.front(), theta(parameters), set_.length_scale_groups, points);
  MatrixXd result = MatrixXd::Identity(size(), size());
  if (information.size() > 0 && information.allFinite())
    result = ThetaParameters::curvature(information);
  const auto n = static_cast<double>(std::max<Index>(1, set_.observations) * order().outputs);
  result.diagonal() += prior_curvature() / n;
  result.diagonal().array() += memory_;
  return result;
}

}  // namespace splitgp
