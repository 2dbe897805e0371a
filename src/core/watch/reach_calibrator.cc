#include "core/watch/reach_calibrator.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace splitgp {

using Eigen::Index;

double squared_innovation(const LookedBack& back, Index output, Index column) {
  const double error = back.error(output, column);
  return error / back.variance(output, column) * error;
}

namespace {

// Of an unknown time: one error in so many rows, in turn from these columns of what was looked
// back, beside the points that are left out.
constexpr std::uint64_t kUnknownEvery = 8;
constexpr std::array<Index, 3> kUnknownAges{0, 4, 7};
// The cells of the shares are this far apart, in powers of two.
constexpr double kCell = 3.0;

// Where a share lies among the cells.
double place_of(double share, std::size_t cells) {
  if (!(share > 0.0)) return static_cast<double>(cells - 1);
  return std::clamp(-std::log2(share) / kCell, 0.0, static_cast<double>(cells - 1));
}

double shape_of(const Calibrator& calibrator) { return 1.0 / calibrator.degrees_of_freedom(); }

double log_scale(const Calibrator& calibrator) {
  return std::log(calibrator.local_factor() * (1.0 - 2.0 * shape_of(calibrator)));
}

}  // namespace

// Scale² and 1/ν are what is interpolated. What the aggregated prediction gains on the owner's is
// known for the next row, and taken to be the same for the others.
ReachCalibrator::Scale ReachCalibrator::between(const Calibrator& below, const Calibrator& above,
                                                double part) const {
  const double log_below = log_scale(below);
  const double log_above = log_scale(above);
  const double shape_below = shape_of(below);
  const double shape_above = shape_of(above);
  const double shape = shape_below + part * (shape_above - shape_below);
  const double scale = std::exp(log_below + part * (log_above - log_below));
  // d log factor / d part, with factor = scale² / (1 − 2/ν)
  const double slope =
      log_above - log_below + 2.0 * (shape_above - shape_below) / (1.0 - 2.0 * shape);
  return {scale * next.aggregated_ratio() / (1.0 - 2.0 * shape), 1.0 / shape, slope};
}

ReachCalibrator::Scale ReachCalibrator::scale(double ahead, double share) const {
  if (ahead <= 1.0) return {next.factor(), next.degrees_of_freedom()};
  if (std::isnan(ahead)) {
    const double place = place_of(share, kShares);
    const std::size_t cell = std::min(static_cast<std::size_t>(place), kShares - 2);
    Scale result = between(unknown(cell), unknown(cell + 1), place - static_cast<double>(cell));
    const bool inside = place > 0.0 && place < static_cast<double>(kShares - 1);
    result.slope *= inside ? -1.0 / (kCell * std::log(2.0)) : 0.0;
    return result;
  }
  const double power = std::min(std::log2(ahead), static_cast<double>(kLater));
  const std::size_t below = std::min(static_cast<std::size_t>(power), kLater - 1);
  Scale result = between(later(below), later(below + 1), power - static_cast<double>(below));
  result.slope = 0.0;
  return result;
}

// The calibrator of 2^power rows ahead, or of the farthest before it that has learned something.
const Calibrator& ReachCalibrator::later(std::size_t power) const {
  while (power > 0 && later_[power - 1].calibrator.updates() == 0) --power;
  return power == 0 ? next : later_[power - 1].calibrator;
}

// That of the nearest cell that has learned something.
const Calibrator& ReachCalibrator::unknown(std::size_t cell) const {
  for (std::size_t distance = 0; distance < kShares; ++distance) {
    if (cell >= distance && unknown_[cell - distance].updates() > 0)
      return unknown_[cell - distance];
    if (cell + distance < kShares && unknown_[cell + distance].updates() > 0)
      return unknown_[cell + distance];
  }
  return next;
}

void ReachCalibrator::learn(const LookedBack& back, const LookedBack& answered, Index output,
                            std::uint64_t row) {
  for (std::size_t power = 1; power <= kLater; ++power) {
    if (row < LookedBack::age(static_cast<Index>(power))) break;  // nobody could have known less
    learn_later(power, squared_innovation(answered, output, static_cast<Index>(power)), row);
  }
  if (back.share(LookedBack::kLeftOut) > 0.0) learn_unknown(back, output, LookedBack::kLeftOut);
  if (row % kUnknownEvery == kUnknownEvery / 2) {
    const Index column = kUnknownAges[row / kUnknownEvery % kUnknownAges.size()];
    if (row >= LookedBack::age(column)) learn_unknown(back, output, column);
  }
}

void ReachCalibrator::learn_later(std::size_t power, double squared, std::uint64_t row) {
  Later& own = later_[power - 1];
  if (own.calibrator.updates() == 0) {
    own.calibrator = later(power);
    own.calibrator.forget_updates();
    own.remembered.fill(own.calibrator.believed());
  }
  own.calibrator.mend(squared, own.remembered.back(), Calibrator::strength_after(row));
  const std::uint64_t every = std::max<std::uint64_t>(1, (std::uint64_t{1} << power) / 4);
  if (row % every != 0) return;
  std::shift_right(own.remembered.begin(), own.remembered.end(), 1);
  own.remembered.front() = own.calibrator.believed();
  own.calibrator.follow(squared);
}

void ReachCalibrator::learn_unknown(const LookedBack& back, Index output, Index column) {
  const auto cell = static_cast<std::size_t>(place_of(back.share(column), kShares) + 0.5);
  Calibrator& own = unknown_[cell];
  if (own.updates() == 0) {
    own = unknown(cell);
    own.forget_updates();
  }
  own.add(squared_innovation(back, output, column), std::nullopt);
}

std::vector<double> ReachCalibrator::numbers() const {
  std::vector<double> result;
  result.reserve(kNumbers);
  const auto put = [&](const Calibrator& calibrator) {
    const std::vector<double> numbers = calibrator.numbers();
    result.insert(result.end(), numbers.begin(), numbers.end());
  };
  for (const Later& one : later_) {
    put(one.calibrator);
    for (const Calibrator::Believed& believed : one.remembered) {
      result.push_back(believed.scale);
      result.push_back(believed.shape);
    }
  }
  for (const Calibrator& one : unknown_) put(one);
  assert(result.size() == kNumbers);
  return result;
}

void ReachCalibrator::restore(std::span<const double> numbers) {
  assert(numbers.size() == kNumbers);
  const auto take = [&](std::size_t count) {
    const auto result = numbers.first(count);
    numbers = numbers.subspan(count);
    return result;
  };
  for (Later& one : later_) {
    one.calibrator = Calibrator::restore(take(Calibrator::kNumbers));
    for (Calibrator::Believed& believed : one.remembered) {
      const auto pair = take(2);
      believed = {pair[0], pair[1]};
    }
  }
  for (Calibrator& one : unknown_) one = Calibrator::restore(take(Calibrator::kNumbers));
}

}  // namespace splitgp
