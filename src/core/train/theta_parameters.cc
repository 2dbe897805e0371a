#include "core/train/theta_parameters.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/options/validate.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ThetaParameters::ThetaParameters(const TrainingSet& set, KernelFamily family,
                                 const Hyperparameters& base, const FixedHyperparameters& fixed)
    : set_(set), base_(base), length_scale_unit_(length_scale_unit(set)) {
  base_.kernel = family;
  const Index p = set.output_spread.size();
  if (p > 1 && !fixed.output_scale) {
    // The outputs' scales carry the units, so a shared signal variance would be redundant.
    output_variance_ = 1.0;
    if (!fixed.signal_variance) base_.signal_variance = 1.0;
  } else {
    const VectorXd relative = set.output_spread.cwiseQuotient(base_.output_scale);
    output_variance_ = relative.squaredNorm() / static_cast<double>(p);
  }

  std::vector<double> lower, upper, mean, deviation;
  const auto add = [&](Part part, Index index, double low, double high, double center,
                       double width) {
    parameters_.push_back({part, index});
    lower.push_back(low);
    upper.push_back(high);
    mean.push_back(center);
    deviation.push_back(width);
  };
  const LengthScaleGroups& groups = set.length_scale_groups;
  const double log_root_d = 0.5 * std::log(static_cast<double>(groups.size()));
  if (!fixed.length_scale) {
    for (Index group = 0; group < groups.size(); ++group) {
      const auto constant = [&](Index k) {
        return set.constant_input[static_cast<std::size_t>(k)];
      };
      if (std::ranges::all_of(groups.members(group), constant)) continue;
      // At the typical distance, √d spreads, inputs are then neither all alike nor all unlike.
      add(Part::length_scale, group, std::log(1e-4), std::log(1e4), log_root_d, 3.0);
    }
  }
  const bool free_signal = !fixed.signal_variance && (p == 1 || fixed.output_scale);
  if (free_signal) add(Part::signal_variance, 0, std::log(1e-6), std::log(1e6), 0.0, 2.0);
  // 1e-8: below that, the kernel matrix of smooth, noise-free data is singular in double precision.
  if (!fixed.noise_variance)
    add(Part::noise_variance, 0, std::log(1e-8), std::log(1e2), std::log(1e-2), 4.0);
  if (family == KernelFamily::rational_quadratic && !fixed.shape) {
    add(Part::shape, 0, std::log(1e-2), std::log(1e3), 0.0, 2.0);
  }
  for (Index o = 0; o < p; ++o) {
    if (!fixed.mean) add(Part::mean, o, -10.0, 10.0, 0.0, 2.0);
  }
  for (Index o = 0; o < p; ++o) {
    if (p > 1 && !fixed.output_scale)
      add(Part::output_scale, o, std::log(1e-3), std::log(1e3), 0.0, 2.0);
  }
  const Index n = std::ssize(parameters_);
  lower_ = VectorXd::Map(lower.data(), n);
  upper_ = VectorXd::Map(upper.data(), n);
  prior_mean_ = VectorXd::Map(mean.data(), n);
  prior_deviation_ = VectorXd::Map(deviation.data(), n);
}

std::string ThetaParameters::name(Index i) const {
  const Parameter& parameter = parameters_[static_cast<std::size_t>(i)];
  const auto with_index = [](std::string name, Index index) {
    return name.append("[").append(std::to_string(index)).append("]");
  };
  switch (parameter.part) {
    case Part::length_scale:
      return with_index("length_scale", set_.length_scale_groups.members(parameter.index).front());
    case Part::signal_variance:
      return "signal_variance";
    case Part::noise_variance:
      return "noise_variance";
    case Part::shape:
      return "shape";
    case Part::mean:
      return with_index("mean", parameter.index);
    case Part::output_scale:
      return with_index("output_scale", parameter.index);
  }
  return "?";
}

VectorXd ThetaParameters::parameters(const Hyperparameters& theta) const {
  VectorXd result(size());
  for (Index i = 0; i < size(); ++i) {
    const auto [part, k] = parameters_[static_cast<std::size_t>(i)];
    switch (part) {
      case Part::length_scale: {
        const Index first = set_.length_scale_groups.members(k).front();  // all have the same
        result(i) = std::log(theta.length_scale(first) / length_scale_unit_(first));
        break;
      }
      case Part::signal_variance:
        result(i) = std::log(theta.signal_variance / output_variance_);
        break;
      case Part::noise_variance:
        result(i) = std::log(theta.noise_variance / output_variance_);
        break;
      case Part::shape:
        result(i) = std::log(theta.shape);
        break;
      case Part::mean:
        result(i) = (theta.mean(k) - set_.output_mean(k)) / set_.output_spread(k);
        break;
      case Part::output_scale:
        // An earlier θ may have another signal variance: that goes into the scale.
        result(i) = std::log(theta.output_scale(k) / set_.output_spread(k)) +
                    0.5 * std::log(theta.signal_variance / base_.signal_variance);
        break;
    }
  }
  return result.cwiseMax(lower_).cwiseMin(upper_);
}

Hyperparameters ThetaParameters::theta(const VectorXd& parameters) const {
  Hyperparameters theta = base_;
  for (Index i = 0; i < size(); ++i) {
    const auto [part, k] = parameters_[static_cast<std::size_t>(i)];
    const double value = parameters(i);
    switch (part) {
      case Part::length_scale:
        for (const Index input : set_.length_scale_groups.members(k))
          theta.length_scale(input) = length_scale_unit_(input) * std::exp(value);
        break;
      case Part::signal_variance:
        theta.signal_variance = output_variance_ * std::exp(value);
        break;
      case Part::noise_variance:
        theta.noise_variance = output_variance_ * std::exp(value);
        break;
      case Part::shape:
        theta.shape = std::exp(value);
        break;
      case Part::mean:
        theta.mean(k) = set_.output_mean(k) + set_.output_spread(k) * value;
        break;
      case Part::output_scale:
        theta.output_scale(k) = set_.output_spread(k) * std::exp(value);
        break;
    }
  }
  return within_range(std::move(theta));
}

VectorXd ThetaParameters::start(double length_scale, double noise) const {
  VectorXd result = VectorXd::Zero(size());
  for (Index i = 0; i < size(); ++i) {
    const Part part = parameters_[static_cast<std::size_t>(i)].part;
    if (part == Part::length_scale) result(i) = std::log(length_scale);
    if (part == Part::noise_variance) result(i) = std::log(noise);
  }
  return result.cwiseMax(lower_).cwiseMin(upper_);
}

Index ThetaParameters::place(Index i) const {
  const auto [part, k] = parameters_[static_cast<std::size_t>(i)];
  switch (part) {
    case Part::length_scale:
      return order().length_scale(k);
    case Part::signal_variance:
      return order().signal_variance();
    case Part::noise_variance:
      return order().noise_variance();
    case Part::shape:
      return order().shape();
    case Part::mean:
      return order().mean(k);
    case Part::output_scale:
      return order().output_scale(k);
  }
  return 0;
}

double ThetaParameters::unit(Index i) const {
  const auto [part, k] = parameters_[static_cast<std::size_t>(i)];
  return part == Part::mean ? set_.output_spread(k) : 1.0;
}

VectorXd ThetaParameters::gradient(const VectorXd& natural) const {
  VectorXd result(size());
  for (Index i = 0; i < size(); ++i) result(i) = natural(place(i)) * unit(i);
  return result;
}

MatrixXd ThetaParameters::curvature(const MatrixXd& natural) const {
  MatrixXd result(size(), size());
  for (Index j = 0; j < size(); ++j) {
    for (Index i = 0; i < size(); ++i)
      result(i, j) = natural(place(i), place(j)) * unit(i) * unit(j);
  }
  return result;
}

// Normal priors on the parameters. Worth only a few observations, they settle what the data leave
// open.
double ThetaParameters::log_prior(const VectorXd& parameters, VectorXd* gradient) const {
  const VectorXd scaled = (parameters - prior_mean_).cwiseQuotient(prior_deviation_);
  if (gradient != nullptr) *gradient -= scaled.cwiseQuotient(prior_deviation_);
  return -0.5 * scaled.squaredNorm();
}

}  // namespace splitgp
