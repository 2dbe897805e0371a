#include "core/options/validate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/columns.h"
#include "core/options/option_table.h"
#include "splitgp/error.h"

namespace splitgp {
namespace {

// The fewest digits that identify the value: 0.1, not 0.10000000000000001.
std::string text(double value) {
  std::array<char, 32> digits;
  const std::to_chars_result end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}
std::string text(Eigen::Index value) { return std::to_string(value); }
std::string text(int value) { return std::to_string(value); }
std::string text(std::string_view value) { return std::string(value); }

template <typename... Parts>
[[noreturn]] void reject(const Parts&... parts) {
  throw InvalidArgument((text(parts) + ...));
}

// Written so that NaN fails.
void check_range(std::string_view field, double value, double low, double high) {
  if (!(value >= low && value <= high)) {
    reject(field, " is ", value, "; it must lie between ", low, " and ", high);
  }
}

void check_width(const char* field, Eigen::Index size, Eigen::Index expected) {
  if (size != expected) reject(field, " has ", size, " values; the model needs ", expected);
}

// What every part of θ may be, from the user, from Train and in a file: the one place that says so.
// An input divided by its length scale stays finite. Visits each number with its place in a list;
// -1: it is in none.
template <typename Theta, typename Visit>
void each_range(Theta& theta, const Visit& visit_number) {
  const auto visit = [&](const char* field, auto& part, double low, double high) {
    if constexpr (std::is_convertible_v<decltype(part), double>) {
      visit_number(field, Eigen::Index{-1}, part, low, high);
    } else {
      for (Eigen::Index k = 0; k < part.size(); ++k) visit_number(field, k, part(k), low, high);
    }
  };
  constexpr double kTiny = 1e-300;
  constexpr double kHuge = 1e300;
  visit("length_scale", theta.length_scale, 1e-150, kLargestMagnitude);
  visit("output_scale", theta.output_scale, 1e-150, kLargestMagnitude);
  visit("mean", theta.mean, -kLargestMagnitude, kLargestMagnitude);
  visit("trend_slope", theta.trend_slope, -kHuge, kHuge);
  visit("trend_origin", theta.trend_origin, -kLargestMagnitude, kLargestMagnitude);
  visit("trend_range", theta.trend_range, 0.0, kLargestMagnitude);
  visit("signal_variance", theta.signal_variance, kTiny, kHuge);
  visit("noise_variance", theta.noise_variance, 0.0, kHuge);
  visit("trend_reach", theta.trend_reach, 0.0, 1.0);
  visit("shape", theta.shape, 1e-3, 1e6);
}

// The capacity of a model that says nothing else: an update takes about a tenth of a millisecond.
constexpr int kUsualCapacity = 250;
constexpr int kCapacityPerOwned = 4;

}  // namespace

void check_options(const Options& options) {
  each_option([&options](const OptionEntry& entry, auto of) {
    using Value = OptionValue<decltype(of)>;
    if constexpr (std::is_same_v<Value, int>) {
      const int value = of(options);
      if (value >= entry.least || (value == 0 && !entry.zero_means.empty())) return;
      if (value == kAutomatic && !entry.automatic.empty()) return;
      const std::string or_zero =
          entry.zero_means.empty() ? "" : ", or 0 for " + std::string(entry.zero_means);
      reject(entry.name, " is ", value, "; it must be at least ", entry.least, or_zero);
    } else if constexpr (std::is_same_v<Value, double>) {
      check_range(entry.name, of(options), static_cast<double>(entry.least), kLargestMagnitude);
    } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
      const std::vector<int>& values = of(options);
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (values[k] >= entry.least) continue;
        reject(entry.name, "[", static_cast<Eigen::Index>(k), "] is ", values[k],
               "; it must be at least ", entry.least);
      }
    }
  });
}

Options complete(Options options) {
  check_options(options);
  int& limit = options.split_limit;
  int& capacity = options.capacity;
  if (limit == kAutomatic) {
    if (capacity == kAutomatic) capacity = kUsualCapacity;
    limit = options.comparison.inherit ? std::max(1, capacity / kCapacityPerOwned) : capacity;
  }
  if (capacity == kAutomatic && !options.comparison.inherit) capacity = limit;
  if (capacity == kAutomatic) {
    const int most = limit > kUsualCapacity ? limit : kCapacityPerOwned * limit;
    capacity = std::clamp(kUsualCapacity, limit, most);
  }
  if (capacity < limit) {
    reject("capacity is ", capacity, "; it must be at least split_limit, which is ", limit);
  }
  if (capacity > limit && !options.comparison.inherit) {
    reject("capacity is ", capacity, "; without inherit it must be split_limit, which is ", limit);
  }
  if (options.neighbors == kAutomatic) options.neighbors = capacity > limit ? 3 : 8;
  return options;
}

void check_values(const char* field, const Eigen::Ref<const Eigen::MatrixXd>& columns,
                  Eigen::Index width) {
  if (columns.rows() != width) {
    reject(field, " has ", columns.rows(), " values in a row; the model needs ", width);
  }
  for (Eigen::Index row = 0; row < columns.cols(); ++row) {
    for (Eigen::Index k = 0; k < width; ++k) {
      const double value = columns(k, row);
      if (!(std::abs(value) <= kLargestMagnitude)) {
        reject(field, "[", k, "] of row ", row, " is ", value, "; it must be finite and at most ",
               kLargestMagnitude, " in magnitude");
      }
    }
  }
}

void check_noise(const Eigen::Ref<const Eigen::VectorXd>& noise_variance,
                 Eigen::Index observations) {
  if (noise_variance.size() == 0) return;
  check_width("noise_variance", noise_variance.size(), observations);
  for (Eigen::Index row = 0; row < observations; ++row) {
    const double value = noise_variance(row);
    if (!(value >= 0.0 && value <= kLargestMagnitude)) {
      reject("noise_variance of row ", row, " is ", value, "; it must lie between 0 and ",
             kLargestMagnitude);
    }
  }
}

void check_ahead(const Ahead& ahead, Eigen::Index queries) {
  if (!ahead.is_for_all() && ahead.size() != queries)
    reject("ahead has ", Eigen::Index{ahead.size()}, " values; there are ", queries, " queries");
  const Eigen::Index count = ahead.is_for_all() ? 1 : queries;
  for (Eigen::Index i = 0; i < count; ++i) {
    if (!(ahead.of(i) < 1.0)) continue;
    const std::string query = ahead.is_for_all() ? "" : " of query " + text(i);
    reject("ahead", query, " is ", ahead.of(i),
           "; it must be at least 1, or not a number for an unknown time");
  }
}

void check_batch(const MatrixView& X, const MatrixView& Y, const MatrixView& noise_variance,
                 std::ptrdiff_t inputs, std::ptrdiff_t outputs) {
  check_values("x", columns(X), inputs);
  check_values("y", columns(Y), outputs);
  if (X.cols != Y.cols) reject("y has ", Y.cols, " rows and x has ", X.cols);
  check_noise(column(noise_variance), X.cols);
}

Hyperparameters complete(Hyperparameters theta, Eigen::Index inputs, Eigen::Index outputs) {
  if (theta.kernel == KernelFamily::automatic) theta.kernel = KernelFamily::rbf;
  if (theta.length_scale.size() == 0) theta.length_scale = Eigen::VectorXd::Ones(inputs);
  if (theta.mean.size() == 0) theta.mean = Eigen::VectorXd::Zero(outputs);
  if (theta.output_scale.size() == 0) theta.output_scale = Eigen::VectorXd::Ones(outputs);
  if (theta.trend_slope.size() == 0) theta.trend_slope = Eigen::VectorXd::Zero(inputs * outputs);
  if (theta.trend_origin.size() == 0) theta.trend_origin = Eigen::VectorXd::Zero(inputs);
  if (theta.trend_range.size() == 0)
    theta.trend_range = Eigen::VectorXd::Constant(inputs, kLargestMagnitude);
  check_width("length_scale", theta.length_scale.size(), inputs);
  check_width("mean", theta.mean.size(), outputs);
  check_width("output_scale", theta.output_scale.size(), outputs);
  check_width("trend_slope", theta.trend_slope.size(), inputs * outputs);
  check_width("trend_origin", theta.trend_origin.size(), inputs);
  check_width("trend_range", theta.trend_range.size(), inputs);
  each_range(theta, [](std::string name, Eigen::Index k, double value, double low, double high) {
    if (k >= 0) name.append("[").append(text(k)).append("]");
    check_range(name, value, low, high);
  });
  return theta;
}

Hyperparameters within_range(Hyperparameters theta) {
  each_range(theta, [](const char*, Eigen::Index, double& value, double low, double high) {
    value = std::clamp(value, low, high);
  });
  return theta;
}

bool is_within_range(const Hyperparameters& theta) {
  bool good = true;
  each_range(theta, [&good](const char*, Eigen::Index, double value, double low, double high) {
    good = good && value >= low && value <= high;
  });
  return good;
}

void check_tied(const Hyperparameters& theta, const LengthScaleGroups& groups) {
  for (Eigen::Index k = 0; k < groups.inputs(); ++k) {
    const Eigen::Index first = groups.members(groups.of(k)).front();
    if (theta.length_scale(k) == theta.length_scale(first)) continue;
    reject("length_scale[", first, "] is ", theta.length_scale(first), " and length_scale[", k,
           "] is ", theta.length_scale(k), "; length_scale_groups says that they are the same");
  }
}

LengthScaleGroups groups_of(const Options& options, Eigen::Index inputs) {
  const std::vector<int>& groups = options.length_scale_groups;
  if (!groups.empty()) check_width("length_scale_groups", std::ssize(groups), inputs);
  return {inputs, groups};
}

Hyperparameters starting_theta(const Options& options, Eigen::Index inputs, Eigen::Index outputs) {
  Hyperparameters theta = options.hyperparameters.value_or(Hyperparameters{});
  if (options.kernel != KernelFamily::automatic) theta.kernel = options.kernel;
  theta = complete(std::move(theta), inputs, outputs);
  check_tied(theta, groups_of(options, inputs));
  return theta;
}

}  // namespace splitgp
