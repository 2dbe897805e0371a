#include "splitgp/options.h"

#include <string>

#include "core/options/option_table.h"
#include "splitgp/error.h"
#include "splitgp/results.h"

namespace splitgp {
namespace {

constexpr NamedValue<KernelFamily> kKernels[] = {
    {KernelFamily::automatic, "auto", "training chooses among rbf and the Matérn kernels"},
    {KernelFamily::rbf, "rbf", "infinitely smooth"},
    {KernelFamily::matern12, "matern12", "rough: continuous, not differentiable"},
    {KernelFamily::matern32, "matern32", "once differentiable"},
    {KernelFamily::matern52, "matern52", "twice differentiable"},
    {KernelFamily::rational_quadratic, "rational_quadratic", "smooth, with many length scales"},
};

constexpr NamedValue<Aggregation> kAggregations[] = {
    {Aggregation::evidence, "evidence", "by how much each one's data say about the query"},
    {Aggregation::similarity, "similarity", "by the similarity of its center: the paper's rule"},
    {Aggregation::nearest, "nearest", "the most similar one alone; discontinuous"},
};

constexpr NamedValue<PrincipalDirection> kPrincipalDirections[] = {
    {PrincipalDirection::exact, "exact", "eigenvector of the covariance, computed at the split"},
    {PrincipalDirection::oja, "oja", "Oja's rule, followed as observations arrive"},
};

constexpr NamedValue<SplitSpace> kSplitSpaces[] = {
    {SplitSpace::scaled, "scaled", "inputs over their length scales"},
    {SplitSpace::raw, "raw", "inputs as they are, as in the paper"},
};

constexpr NamedValue<Training> kTrainings[] = {
    {Training::off, "off", "only when train() is called"},
    {Training::inlined, "inline", "inside update, whenever the stream has grown by half"},
    {Training::background, "background", "at the same moments, in a thread of its own"},
};

constexpr NamedValue<Calibration> kCalibrations[] = {
    {Calibration::adaptive, "adaptive", "learned from the errors made, with a Student-t"},
    {Calibration::conformal, "conformal", "the same, but intervals with a guarantee"},
    {Calibration::none, "none", "the variances of theta alone"},
};

constexpr NamedValue<Trend> kTrends[] = {
    {Trend::automatic, "auto", "adopted if it predicts later observations from earlier ones"},
    {Trend::none, "none", "a constant prior mean"},
    {Trend::linear, "linear", "always"},
};

constexpr NamedValue<OnDrift> kOnDrifts[] = {
    {OnDrift::report, "report", "it is told, and the model goes on"},
    {OnDrift::forget, "forget", "what is older than the change is forgotten where it changed"},
};

constexpr NamedValue<DriftKind> kDriftKinds[] = {
    {DriftKind::up, "up", "outputs are higher than expected"},
    {DriftKind::down, "down", "outputs are lower than expected"},
    {DriftKind::wider, "wider", "outputs are farther from what is expected on both sides"},
};

constexpr NamedValue<Outliers> kOutliers[] = {
    {Outliers::learn, "learn", "they are learned like any other"},
    {Outliers::reject, "reject", "they are not learned, unless several follow each other"},
};

constexpr NamedValue<Forget> kForgets[] = {
    {Forget::oldest, "oldest", "the one that was learned first"},
    {Forget::redundant, "redundant", "one that the others explain"},
};

}  // namespace

template <>
std::span<const NamedValue<KernelFamily>> named_values() {
  return kKernels;
}
template <>
std::span<const NamedValue<Aggregation>> named_values() {
  return kAggregations;
}
template <>
std::span<const NamedValue<PrincipalDirection>> named_values() {
  return kPrincipalDirections;
}
template <>
std::span<const NamedValue<SplitSpace>> named_values() {
  return kSplitSpaces;
}
template <>
std::span<const NamedValue<Training>> named_values() {
  return kTrainings;
}
template <>
std::span<const NamedValue<Calibration>> named_values() {
  return kCalibrations;
}
template <>
std::span<const NamedValue<Trend>> named_values() {
  return kTrends;
}
template <>
std::span<const NamedValue<OnDrift>> named_values() {
  return kOnDrifts;
}
template <>
std::span<const NamedValue<Outliers>> named_values() {
  return kOutliers;
}
template <>
std::span<const NamedValue<DriftKind>> named_values() {
  return kDriftKinds;
}
template <>
std::span<const NamedValue<Forget>> named_values() {
  return kForgets;
}

namespace {

template <typename Enum>
std::string_view name_of(Enum value) {
  for (const NamedValue<Enum>& known : named_values<Enum>()) {
    if (known.value == value) return known.name;
  }
  return "?";
}

}  // namespace

std::string_view to_string(KernelFamily value) { return name_of(value); }
std::string_view to_string(Aggregation value) { return name_of(value); }
std::string_view to_string(PrincipalDirection value) { return name_of(value); }
std::string_view to_string(SplitSpace value) { return name_of(value); }
std::string_view to_string(Training value) { return name_of(value); }
std::string_view to_string(Calibration value) { return name_of(value); }
std::string_view to_string(Trend value) { return name_of(value); }
std::string_view to_string(OnDrift value) { return name_of(value); }
std::string_view to_string(Outliers value) { return name_of(value); }
std::string_view to_string(DriftKind value) { return name_of(value); }
std::string_view to_string(Forget value) { return name_of(value); }

template <typename Enum>
Enum parse(std::string_view field, std::string_view text) {
  std::string known_names;
  for (const NamedValue<Enum>& known : named_values<Enum>()) {
    if (known.name == text) return known.value;
    known_names += known_names.empty() ? "" : ", ";
    known_names += known.name;
  }
  throw InvalidArgument(std::string(field) + " is \"" + std::string(text) +
                        "\"; it must be one of " + known_names);
}

template KernelFamily parse<KernelFamily>(std::string_view, std::string_view);
template Aggregation parse<Aggregation>(std::string_view, std::string_view);
template PrincipalDirection parse<PrincipalDirection>(std::string_view, std::string_view);
template SplitSpace parse<SplitSpace>(std::string_view, std::string_view);
template Training parse<Training>(std::string_view, std::string_view);
template Calibration parse<Calibration>(std::string_view, std::string_view);
template Trend parse<Trend>(std::string_view, std::string_view);
template OnDrift parse<OnDrift>(std::string_view, std::string_view);
template Outliers parse<Outliers>(std::string_view, std::string_view);
template DriftKind parse<DriftKind>(std::string_view, std::string_view);
template Forget parse<Forget>(std::string_view, std::string_view);

Options Options::paper() {
  Options options;
  options.kernel = KernelFamily::rbf;
  options.comparison.aggregation = Aggregation::similarity;
  options.neighbors = 0;
  options.comparison.taper = false;
  options.comparison.inherit = false;
  options.comparison.split_space = SplitSpace::raw;
  options.calibration = Calibration::none;
  options.experts = false;
  options.surprise = false;
  options.trend = Trend::none;
  return options;
}

}  // namespace splitgp
