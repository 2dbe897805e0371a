#include "table/resemblance.h"

#include <algorithm>
#include <cmath>

namespace splitgp::table {
namespace {

constexpr std::uint64_t kKnown = 10;  // values before one of them can be called absurd
constexpr double kAbsurd = 4.0;       // deviations from the center
constexpr double kMemory = 0.999;     // what happened a thousand rows ago counts a third
constexpr double kDoubt = 1.0;        // squared deviations: without evidence nothing resembles

}  // namespace

// In deviations from the center; what is absurd counts as the farthest that is not.
double Resemblance::place(double value) const {
  if (!(deviation_ > 0.0)) return 0.0;
  const double half = (0.5 * value - 0.5 * center_) / deviation_;  // of huge values, too
  return std::clamp(2.0 * half, -kAbsurd, kAbsurd);
}

void Resemblance::see(double value, double before, std::uint64_t rows) {
  if (rows == 1) {
    const double earlier = place(before);
    products_ = kMemory * products_ + earlier * place(value);
    squares_ = kMemory * squares_ + earlier * earlier;
  }
  ++count_;
  const double share = 1.0 / static_cast<double>(count_);
  // A column that has been constant so far has no scale that says what is absurd.
  const bool judged = count_ > kKnown && deviation_ > 0.0;
  const double learned = judged ? center_ + deviation_ * place(value) : value;
  const double distance = std::abs(0.5 * learned - 0.5 * center_);
  if (count_ == 1) {
    center_ = value;
    return;
  }
  center_ += share * learned - share * center_;
  deviation_ += 2.0 * share * distance - share * deviation_;
}

double Resemblance::correlation() const {
  return std::clamp(products_ / (squares_ + kDoubt), 0.0, 1.0);
}

double Resemblance::guess(double last, std::uint64_t rows) const {
  if (rows == 0) return center_;
  const double stays = std::pow(correlation(), static_cast<double>(rows));
  return stays * last + (1.0 - stays) * center_;
}

Resemblance::Numbers Resemblance::numbers() const {
  return {static_cast<double>(count_), center_, deviation_, products_, squares_};
}

Resemblance Resemblance::of(const Numbers& numbers) {
  Resemblance result;
  result.count_ = static_cast<std::uint64_t>(std::clamp(numbers[0], 0.0, 1e15));
  result.center_ = numbers[1];
  result.deviation_ = numbers[2];
  result.products_ = numbers[3];
  result.squares_ = numbers[4];
  return result;
}

}  // namespace splitgp::table
