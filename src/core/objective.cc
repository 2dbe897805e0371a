#include "core/objective.h"

#include <cmath>
#include <limits>

namespace splitgp {

using Eigen::VectorXd;

void Objective::remember(const Hyperparameters& theta, double strength) {
  remembered_ = parameters(theta);
  memory_ = strength;
}

double Objective::value(const VectorXd& parameters, VectorXd* gradient) {
  const Hyperparameters theta = this->theta(parameters);
  ThetaGradient natural(theta.length_scale.size(), theta.mean.size());
  double sum = 0.0;
  for (const TrainingSet::Block& block : set_.blocks) {
    sum += likelihood_.of(block, theta, gradient == nullptr ? nullptr : &natural);
  }
  // log p(new | given) = log p(both) − log p(given), but for the weight that these keep.
  const double less = 1.0 - given_weight_;
  ThetaGradient of_given(theta.length_scale.size(), theta.mean.size());
  for (const TrainingSet::Block& block : given_) {
    sum -= less * likelihood_.of(block, theta, gradient == nullptr ? nullptr : &of_given);
  }
  if (!given_.empty() && gradient != nullptr) natural.subtract(less, of_given);
  if (!std::isfinite(sum)) {
    if (gradient != nullptr) gradient->setZero(size());
    return -std::numeric_limits<double>::infinity();
  }
  if (gradient != nullptr) *gradient = this->gradient(natural);
  sum += log_prior(parameters, gradient);
  const double n = static_cast<double>(set_.observations * theta.mean.size());
  if (gradient != nullptr) *gradient /= n;
  double result = sum / n;
  if (memory_ > 0.0) {
    const VectorXd step = parameters - remembered_;
    if (gradient != nullptr) *gradient -= memory_ * step;
    result -= 0.5 * memory_ * step.squaredNorm();
  }
  return result;
}

}  // namespace splitgp
