#include "charts/observed_inputs.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace splitgp {

using Eigen::Index;

namespace {

struct Place {
  std::uint64_t order;
  Index column;
};

// SplitMix64: an order independent of time.
std::uint64_t shuffled(std::uint64_t sequence) {
  std::uint64_t z = sequence + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double quantile(std::vector<double>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

// A few far outliers must not squeeze everything else into a corner.
Range range_of(std::vector<double>& values, double length_scale) {
  constexpr double kLeftOut = 0.005;
  constexpr double kMargin = 0.04;
  const double low = quantile(values, kLeftOut);
  const double high = quantile(values, 1.0 - kLeftOut);
  double margin = kMargin * (high - low);
  // An input that never changes is shown over one length scale to each side.
  if (!(margin > 1e-12 * std::max(std::abs(low), std::abs(high)))) margin = length_scale;
  return {low - margin, high + margin};
}

void set_ranges(ObservedInputs& observed, const Eigen::Ref<const Eigen::MatrixXd>& inputs,
                const Eigen::VectorXd& length_scale) {
  observed.median = Eigen::VectorXd::Zero(inputs.rows());
  observed.ranges.resize(static_cast<std::size_t>(inputs.rows()));
  std::vector<double> values(static_cast<std::size_t>(inputs.cols()));
  for (Index k = 0; k < inputs.rows() && !values.empty(); ++k) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = inputs(k, static_cast<Index>(i));
    observed.median(k) = quantile(values, 0.5);
    observed.ranges[static_cast<std::size_t>(k)] = range_of(values, length_scale(k));
  }
}

}  // namespace

ObservedInputs observed_rows(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Y,
                             const Eigen::VectorXd& length_scale) {
  ObservedInputs result;
  set_ranges(result, X, length_scale);
  result.sample = X;
  result.outputs = Y;
  return result;
}

ObservedInputs observed_inputs(const SplittingGp& model, Index most) {
  const Observations all = model.observations();
  ObservedInputs result;
  set_ranges(result, all.inputs, model.hyperparameters().length_scale);

  std::vector<Place> places;
  for (Index i = 0; i < std::ssize(all.sequence); ++i) {
    places.push_back({shuffled(all.sequence[static_cast<std::size_t>(i)]), i});
  }
  const auto before = [](const Place& a, const Place& b) { return a.order < b.order; };
  const Index kept = std::min(most, std::ssize(places));
  std::partial_sort(places.begin(), places.begin() + kept, places.end(), before);
  result.sample.resize(model.n_inputs(), kept);
  result.outputs.resize(model.n_outputs(), kept);
  for (Index i = 0; i < kept; ++i) {
    const Place& place = places[static_cast<std::size_t>(i)];
    result.sample.col(i) = all.inputs.col(place.column);
    result.outputs.col(i) = all.outputs.col(place.column);
    result.sequence.push_back(all.sequence[static_cast<std::size_t>(place.column)]);
  }
  return result;
}

}  // namespace splitgp
