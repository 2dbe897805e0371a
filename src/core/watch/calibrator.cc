#include "core/watch/calibrator.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/watch/student_t.h"

namespace splitgp {
namespace {

// The memories of the experts in rows, and 1/ν of their distributions. The shortest memory follows
// a jump within tens of rows, the longest is steady enough for data that do not change. Below 2.5
// degrees of freedom the variance would be more than 5 times the squared scale, and soon infinite.
constexpr std::array kExpertMemory{12.0, 60.0, 300.0, 1500.0};
constexpr std::array kExpertShape{0.0, 1.0 / 12.0, 1.0 / 6.0, 1.0 / 4.0, 1.0 / 3.0, 1.0 / 2.5};
constexpr double kMostShape = kExpertShape.back();
// Every step to a shorter memory costs this many nats: a short memory must earn its restlessness.
constexpr double kHandicap = 2.0;
// The share of the weights that is dealt out anew with every row. Nobody's weight falls below its
// part of that, so a jump is followed after a few rows that only a short memory foresaw.
constexpr double kShare = 0.002;
// Pseudo-observations at 1: what is believed before there are innovations.
constexpr double kBelief = 20.0;
// The ratio of aggregated to local: in scored predictions, so 16 times as many rows.
constexpr double kRatioBelief = 60.0;
constexpr double kRatioMemory = 250.0;
// Steps of the two quantiles, in logs: a memory of about 500 rows. They come into play over the
// first 200 rows, while the experts still find their scale.
constexpr double kCenterStep = 0.005;
constexpr double kTailStep = 0.01;
constexpr double kFirstRows = 200.0;
// They mend a shape, not a scale: outputs that stand still, and so always fall inside, must not
// take them far from where they are needed when the stream wakes up.
constexpr double kMostMending = 0.4;
constexpr double kCenterLevel = 0.5;
constexpr double kTailLevel = 0.95;
// The step of the conformal intervals, in logs. Larger: the promise holds sooner; smaller: steadier
// intervals.
constexpr double kConformalStep = 0.03;
constexpr double kMostWidening = 20.0;

// A single row counts at most as this many times the scale², so that one absurd value, or an
// overflow, is forgotten in due time.
constexpr double kMostSurprise = 1e4;
constexpr double kLargestInnovation = 1e100;
// Outputs that do not change at all have innovations 0. Their intervals stop at a ten-thousandth of
// what θ says: the rest is for training to find.
constexpr double kLeastScale = 1e-8;

double bounded(double innovation) {
  if (std::isnan(innovation)) return 1.0;  // 0/0 says nothing
  return std::clamp(innovation, 0.0, kLargestInnovation);
}

// The derivative of the log likelihood by log scale², times 2, at x = innovation / scale²: 0 on
// average. For a t it is bounded by ν: an outlier says little about the scale.
double score(double x, double shape) { return (1.0 + shape) * x / (1.0 + shape * x) - 1.0; }

// One over how much the score changes with log scale², on average.
double gain(double shape) { return 1.0 + 3.0 * shape; }

double degrees_of(double shape) { return 1.0 / shape; }  // 1/0 is infinite, as it should be

std::size_t memory_of(std::size_t expert) { return expert / kExpertShape.size(); }
std::size_t shape_of(std::size_t expert) { return expert % kExpertShape.size(); }

// log of the half width of each level, over 1/ν from 0 to kMostShape, so that an update does not
// have to invert a distribution.
class HalfWidths {
 public:
  static constexpr std::size_t kSteps = 40;

  HalfWidths() {
    for (std::size_t i = 0; i <= kSteps; ++i) {
      const double shape = kMostShape * static_cast<double>(i) / kSteps;
      for (std::size_t k = 0; k < Calibrator::kLevels.size(); ++k)
        logs_[k][i] = std::log(student_t_half_width(Calibrator::kLevels[k], degrees_of(shape)));
    }
  }

  double log_half_width(std::size_t level, double shape) const {
    const double at = std::clamp(shape / kMostShape, 0.0, 1.0) * kSteps;
    const std::size_t i = std::min(static_cast<std::size_t>(at), kSteps - 1);
    const double part = at - static_cast<double>(i);
    return logs_[level][i] + part * (logs_[level][i + 1] - logs_[level][i]);
  }

  // The 1/ν whose 95 % point is this many times its 50 % point, in logs; monotone.
  double shape_with(double log_ratio) const {
    const auto ratio = [this](std::size_t i) { return logs_[kTail][i] - logs_[kCenter][i]; };
    if (log_ratio <= ratio(0)) return 0.0;
    if (log_ratio >= ratio(kSteps)) return kMostShape;
    std::size_t low = 0;
    std::size_t high = kSteps;
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (ratio(middle) <= log_ratio ? low : high) = middle;
    }
    const double part = (log_ratio - ratio(low)) / (ratio(high) - ratio(low));
    return kMostShape * (static_cast<double>(low) + part) / kSteps;
  }

  static constexpr std::size_t kCenter = 0;
  static constexpr std::size_t kTail = 3;
  static_assert(Calibrator::kLevels[kCenter] == kCenterLevel &&
                Calibrator::kLevels[kTail] == kTailLevel);

 private:
  std::array<std::array<double, kSteps + 1>, Calibrator::kLevels.size()> logs_;
};

const HalfWidths& half_width_table() {
  static const HalfWidths table;
  return table;
}

// What the experts' densities share, and the weights they start from and are pulled back to.
struct ExpertConstants {
  std::array<double, kExpertShape.size()> log_peak;
  std::array<double, kExpertMemory.size() * kExpertShape.size()> prior;

  ExpertConstants() {
    for (std::size_t j = 0; j < kExpertShape.size(); ++j)
      log_peak[j] = student_t_log_peak(degrees_of(kExpertShape[j]));
    double sum = 0.0;
    for (std::size_t e = 0; e < prior.size(); ++e) {
      const auto shorter = static_cast<double>(kExpertMemory.size() - 1 - memory_of(e));
      sum += prior[e] = std::exp(-kHandicap * shorter);
    }
    for (double& weight : prior) weight /= sum;
  }
};

const ExpertConstants& expert_constants() {
  static const ExpertConstants result;
  return result;
}

}  // namespace

Calibrator::Calibrator() {
  scale_.fill(1.0);
  weight_ = expert_constants().prior;
}

void Calibrator::add(double local, std::optional<double> aggregated) {
  local = bounded(local);
  // Judged by what was known before this row.
  if (aggregated) follow_aggregated(local, bounded(*aggregated));
  follow_quantiles(local, believed(), strength_after(updates_));
  follow(local);
}

void Calibrator::mend(double local, const Believed& believed, double strength) {
  follow_quantiles(bounded(local), believed, strength);
  settle();
}

double Calibrator::strength_after(std::uint64_t rows) {
  return std::min(1.0, static_cast<double>(rows) / kFirstRows);
}

void Calibrator::follow(double local) {
  local = bounded(local);
  ++updates_;
  weigh_experts(local);
  follow_scales(local);
  mix();
  settle();
}

void Calibrator::add_conformal(double aggregated) {
  // Each level's interval grows when a row fell outside and shrinks a little when not; the two
  // balance only where 1 − level of the rows fall outside, whatever the stream does.
  std::array<double, kLevels.size()> widths;
  half_widths(degrees_of_freedom_, widths);
  const double distance = std::sqrt(bounded(aggregated) / factor_);
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    const double outside = distance > widths[k] ? 1.0 : 0.0;
    widening_[k] = std::clamp(widening_[k] + kConformalStep * (outside - (1.0 - kLevels[k])),
                              -kMostWidening, kMostWidening);
  }
}

// The local innovation of the same row, as seen by the same yardstick, takes out most of the
// chance: both predictions err alike.
void Calibrator::follow_aggregated(double local, double aggregated) {
  const double memory = std::min(kRatioMemory, kRatioBelief + static_cast<double>(aggregated_));
  ++aggregated_;
  const double surplus = score(aggregated / (mixed_scale_ * std::exp(log_ratio_)), mixed_shape_) -
                         score(local / mixed_scale_, mixed_shape_);
  log_ratio_ += std::clamp(gain(mixed_shape_) * surplus / memory, -0.5, 0.5);
  log_ratio_ = std::clamp(log_ratio_, -10.0, 10.0);
}

void Calibrator::follow_quantiles(double local, const Believed& believed, double strength) {
  const HalfWidths& table = half_width_table();
  const double log_distance = 0.5 * std::log(local / believed.scale);
  const auto step = [&](double& quantile, std::size_t level, double size) {
    const double width = table.log_half_width(level, believed.shape) + quantile;
    const double outside = log_distance > width ? 1.0 : 0.0;
    quantile = std::clamp(quantile + strength * size * (outside - (1.0 - kLevels[level])),
                          -kMostMending, kMostMending);
  };
  step(center_, HalfWidths::kCenter, kCenterStep);
  step(tail_, HalfWidths::kTail, kTailStep);
}

// Bayes' rule, and the share that is dealt out anew.
void Calibrator::weigh_experts(double local) {
  const ExpertConstants& known = expert_constants();
  std::array<double, kExperts> density;
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < kExperts; ++e) {
    const double shape = kExpertShape[shape_of(e)];
    const double x = local / scale_[e];
    const double exponent = shape == 0.0 ? x : (1.0 / shape + 1.0) * std::log1p(shape * x);
    density[e] = known.log_peak[shape_of(e)] - 0.5 * (std::log(scale_[e]) + exponent);
    best = std::max(best, density[e]);
  }
  double sum = 0.0;
  for (std::size_t e = 0; e < kExperts; ++e) {
    weight_[e] *= std::exp(density[e] - best);
    sum += weight_[e];
  }
  // sum > 0: the best one's density is 1, and its weight at least its part of the share
  for (std::size_t e = 0; e < kExperts; ++e)
    weight_[e] = (1.0 - kShare) * weight_[e] / sum + kShare * known.prior[e];
}

// A step along the score: for normal errors the exponentially weighted mean of the innovations.
void Calibrator::follow_scales(double local) {
  const double belief = kBelief + static_cast<double>(updates_);
  for (std::size_t e = 0; e < kExperts; ++e) {
    const double shape = kExpertShape[shape_of(e)];
    const double x = std::min(local / scale_[e], kMostSurprise);
    const double rate = gain(shape) / std::min(kExpertMemory[memory_of(e)], belief);
    scale_[e] =
        std::clamp(scale_[e] * (1.0 + rate * score(x, shape)), kLeastScale, kLargestInnovation);
  }
}

// One t that speaks for the mixture: mean log scale², mean 1/ν.
void Calibrator::mix() {
  double log_scale = 0.0;
  double shape = 0.0;
  for (std::size_t e = 0; e < kExperts; ++e) {
    log_scale += weight_[e] * std::log(scale_[e]);
    shape += weight_[e] * kExpertShape[shape_of(e)];
  }
  mixed_scale_ = std::exp(log_scale);
  mixed_shape_ = shape;
}

// The t with the corrected quantiles; if none has both, both are missed by the same factor.
void Calibrator::settle() {
  const HalfWidths& table = half_width_table();
  const double center = table.log_half_width(HalfWidths::kCenter, mixed_shape_) + center_;
  const double tail = table.log_half_width(HalfWidths::kTail, mixed_shape_) + tail_;
  const double shape = table.shape_with(tail - center);
  const double missed = center - table.log_half_width(HalfWidths::kCenter, shape) + tail -
                        table.log_half_width(HalfWidths::kTail, shape);
  degrees_of_freedom_ = degrees_of(shape);
  // The variance of a t is ν/(ν − 2) times its scale².
  local_factor_ = mixed_scale_ * std::exp(missed) / (1.0 - 2.0 * shape);
  factor_ = mixed_scale_ * std::exp(missed + log_ratio_) / (1.0 - 2.0 * shape);
}

void Calibrator::half_widths(double degrees_of_freedom,
                             std::span<double, kLevels.size()> result) const {
  const HalfWidths& table = half_width_table();
  const double shape = 1.0 / degrees_of_freedom;
  double least = 0.0;
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    const double width = std::exp(table.log_half_width(k, shape) + widening_[k]);
    least = result[k] = std::max(least, width * std::sqrt(1.0 - 2.0 * shape));
  }
}

std::vector<double> Calibrator::numbers() const {
  std::vector<double> result{static_cast<double>(updates_), static_cast<double>(aggregated_),
                             log_ratio_, center_, tail_};
  result.insert(result.end(), widening_.begin(), widening_.end());
  result.insert(result.end(), scale_.begin(), scale_.end());
  result.insert(result.end(), weight_.begin(), weight_.end());
  assert(result.size() == kNumbers);
  return result;
}

Calibrator Calibrator::restore(std::span<const double> numbers) {
  assert(numbers.size() == kNumbers);
  Calibrator result;
  auto next = numbers.begin();
  result.updates_ = static_cast<std::uint64_t>(*next++);
  result.aggregated_ = static_cast<std::uint64_t>(*next++);
  result.log_ratio_ = *next++;
  result.center_ = *next++;
  result.tail_ = *next++;
  const auto read = [&next](auto& values) {
    for (double& value : values) value = *next++;
  };
  read(result.widening_);
  read(result.scale_);
  read(result.weight_);
  if (result.updates_ > 0) {
    result.mix();
    result.settle();
  }
  return result;
}

}  // namespace splitgp
