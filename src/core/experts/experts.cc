#include "core/experts/experts.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// The last error counts as at most so many of the deviations that were expected.
constexpr double kMostError = 3.0;
constexpr std::uint64_t kFewRows = 16;  // a mean of fewer shows them
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Between two reaches: `above` counts `part`.
Mixed between(const Mixed& below, const Mixed& above, double part) {
  const auto average = [part](double a, double b) { return a + part * (b - a); };
  return {average(below.mean, above.mean),
          average(below.variance_share, above.variance_share),
          average(below.by_mean, above.by_mean),
          average(below.by_log_variance, above.by_log_variance),
          average(below.by_linear, above.by_linear),
          average(below.variance_share * below.share_by_log_variance,
                  above.variance_share * above.share_by_log_variance) /
              average(below.variance_share, above.variance_share)};
}

}  // namespace

Experts::Experts(Index inputs, Index outputs)
    : linear_(inputs, outputs), of_(static_cast<std::size_t>(outputs)) {}

// What is known `age` rows before the row in question.
Opinions Experts::opinions(const Output& of, std::size_t reach, std::uint64_t age) const {
  Opinions result;
  if (rows_ < age) return result;
  const std::size_t row = (rows_ - age) % kRemembered;
  result.last_error = of.errors[row];
  result.answers[Opinions::kMean] = of.means[reach];
  result.answers[Opinions::kLast] = of.values[row];
  return result;
}

Mixed Experts::mix(Index output, double ahead, const Eigen::Ref<const VectorXd>& x, double mean,
                   double variance) const {
  const Output& of = of_[at(output)];
  const double answer = of.range.clamp(mean);
  Mixed result{answer};
  if (!std::isnan(ahead)) {
    Opinions now = opinions(of, 0, 1);
    const double linear = linear_.knows() ? linear_.answer(output, x) : kNone;
    now.answers[Opinions::kLinear] = of.range.clamp(linear);
    const double power = std::clamp(std::log2(ahead), 0.0, static_cast<double>(kReaches - 1));
    const auto below = static_cast<std::size_t>(power);
    result = of.mixtures[below].mix(answer, variance, now);
    if (const double part = power - static_cast<double>(below); part > 0.0)
      result = between(result, of.mixtures[below + 1].mix(answer, variance, now), part);
    if (now.answers[Opinions::kLinear] != linear) result.by_linear = 0.0;
  }
  if (answer != mean) result.by_mean = 0.0;
  if (const double clamped = of.range.clamp(result.mean); clamped != result.mean) {
    result.mean = clamped;
    result.by_mean = result.by_log_variance = result.by_linear = 0.0;
  }
  return result;
}

void Experts::learn(const Eigen::Ref<const VectorXd>& x, const Eigen::Ref<const VectorXd>& y,
                    const LookedBack& back, LookedBack& answered) {
  for (Index o = 0; o < y.size(); ++o) {
    Output& of = of_[at(o)];
    const double linear = linear_.knows() ? of.range.clamp(linear_.answer(o, x)) : kNone;
    const double most_error = kMostError * of.mixtures[0].deviation(back.variance(o, 0));
    for (std::size_t reach = 0; reach < kReaches; ++reach) {
      const auto column = static_cast<Index>(reach);
      const std::uint64_t age = LookedBack::age(column);
      const double mean = of.range.clamp(y(o) - back.error(o, column));
      const double variance = back.variance(o, column);
      Opinions then = opinions(of, reach, age);
      then.answers[Opinions::kLinear] = linear;
      const Mixed mixed = of.mixtures[reach].mix(mean, variance, then);
      answered.error(o, column) = y(o) - of.range.clamp(mixed.mean);
      answered.variance(o, column) = mixed.variance_share * variance;
      // Errors that reach so far stay alike for as many rows: only one of them is news.
      if (rows_ >= age && rows_ % age == 0) of.mixtures[reach].learn(mean, variance, then, y(o));
    }
    const std::size_t row = rows_ % kRemembered;
    const double error = back.error(o, 0);
    of.errors[row] = std::clamp(error, -most_error, most_error);
    of.values[row] = y(o);
    for (std::size_t reach = 0; reach < kReaches; ++reach) {
      const std::uint64_t age = LookedBack::age(static_cast<Index>(reach));
      if (rows_ + 1 < age) break;
      const double value = of.values[(rows_ + 1 - age) % kRemembered];
      of.means[reach] += (value - of.means[reach]) / static_cast<double>(rows_ + 2 - age);
    }
    of.range.add(y(o), error);
  }
  linear_.learn(x, y);
  ++rows_;
}

void Experts::forget(std::uint64_t age, const Eigen::Ref<const VectorXd>& y) {
  linear_.forget();
  for (Index o = 0; o < y.size(); ++o) {
    Output& of = of_[at(o)];
    of.range.forget(y(o));
    if (age <= std::min(rows_, kRemembered)) {
      of.errors[(rows_ - age) % kRemembered] = 0.0;
      of.values[(rows_ - age) % kRemembered] = of.means.front();
    }
    // The mean of the first rows is all but one of them.
    for (std::size_t reach = 1; reach < kReaches; ++reach) {
      if (rows_ < LookedBack::age(static_cast<Index>(reach)) + kFewRows)
        of.means[reach] = of.means.front();
    }
  }
}

std::size_t Experts::n_numbers() const {
  const std::size_t of_output =
      kReaches * (Mixture::kNumbers + 1) + SeenRange::kNumbers + 2 * kRemembered;
  return 1 + linear_.n_numbers() + of_.size() * of_output;
}

std::vector<double> Experts::numbers() const {
  std::vector<double> result(n_numbers());
  double* out = result.data();
  *out++ = static_cast<double>(rows_);
  linear_.put(out);
  for (const Output& of : of_) {
    for (const Mixture& mixture : of.mixtures) mixture.put(out);
    of.range.put(out);
    for (const auto& list : {std::span<const double>(of.means), {of.errors}, {of.values}})
      out = std::copy(list.begin(), list.end(), out);
  }
  assert(out == result.data() + result.size());
  return result;
}

void Experts::restore(std::span<const double> numbers) {
  assert(numbers.size() == n_numbers());
  const double* in = numbers.data();
  rows_ = static_cast<std::uint64_t>(*in++);
  linear_.take(in);
  for (Output& of : of_) {
    for (Mixture& mixture : of.mixtures) mixture.take(in);
    of.range.take(in);
    for (const auto& list : {std::span<double>(of.means), {of.errors}, {of.values}}) {
      for (double& one : list) one = *in++;
    }
  }
}

std::size_t Experts::memory_bytes() const {
  return of_.size() * (sizeof(Output) + 2 * kRemembered * sizeof(double)) + linear_.memory_bytes();
}

}  // namespace splitgp
