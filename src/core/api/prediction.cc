// What a Prediction says about a new observation.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/watch/calibrator.h"
#include "core/watch/student_t.h"
#include "splitgp/error.h"
#include "splitgp/results.h"

namespace splitgp {

using Eigen::Index;

namespace {

constexpr Index kLevels = std::ssize(Calibrator::kLevels);

void check_level(double level) {
  if (level > 0.0 && level < 1.0) return;
  throw InvalidArgument("level is " + std::to_string(level) + "; it must lie between 0 and 1");
}

double degrees_of_freedom(const Prediction& prediction, Index output, Index query) {
  return prediction.degrees_of_freedom.size() == 0 ? std::numeric_limits<double>::infinity()
                                                   : prediction.degrees_of_freedom(output, query);
}

// The scale of the t over its standard deviation.
double scale_of(double degrees) {
  return std::sqrt(1.0 - 2.0 / degrees);  // 1 for the normal distribution
}

double deviation(const Prediction& prediction, Index output, Index query) {
  const double variance =
      prediction.variance(output, query) + prediction.noise_variance(output, query);
  return std::sqrt(std::max(variance, std::numeric_limits<double>::min()));
}

// An interpolation between levels that are followed, in the coordinate in which a normal
// distribution's half widths are a straight line; beyond them the t's shape goes on.
class ConformalHalfWidths {
 public:
  ConformalHalfWidths(const double* widths, double degrees) : widths_(widths), degrees_(degrees) {}

  double at(double level) const {
    if (level <= Calibrator::kLevels.front()) return beyond(level, 0);
    if (level >= Calibrator::kLevels.back()) return beyond(level, Calibrator::kLevels.size() - 1);
    std::size_t above = 1;
    while (Calibrator::kLevels[above] < level) ++above;
    const double low = student_t_half_width(Calibrator::kLevels[above - 1], degrees_);
    const double high = student_t_half_width(Calibrator::kLevels[above], degrees_);
    const double part = (student_t_half_width(level, degrees_) - low) / (high - low);
    return widths_[above - 1] + part * (widths_[above] - widths_[above - 1]);
  }

  // The inverse of at().
  double level_of(double width) const {
    const auto last = Calibrator::kLevels.size() - 1;
    if (width <= widths_[0]) return level_beyond(width, 0);
    if (width >= widths_[last]) return level_beyond(width, last);
    std::size_t above = 1;
    while (widths_[above] < width) ++above;
    const double low = student_t_half_width(Calibrator::kLevels[above - 1], degrees_);
    const double high = student_t_half_width(Calibrator::kLevels[above], degrees_);
    const double part = (width - widths_[above - 1]) / (widths_[above] - widths_[above - 1]);
    return student_t_level(low + part * (high - low), degrees_);
  }

 private:
  double beyond(double level, std::size_t end) const {
    return widths_[end] * student_t_half_width(level, degrees_) /
           student_t_half_width(Calibrator::kLevels[end], degrees_);
  }
  double level_beyond(double width, std::size_t end) const {
    const double followed = student_t_half_width(Calibrator::kLevels[end], degrees_);
    return student_t_level(followed * width / widths_[end], degrees_);
  }

  const double* widths_;
  double degrees_;
};

}  // namespace

double Prediction::half_width(Index output, Index query, double level) const {
  check_level(level);
  const double degrees = splitgp::degrees_of_freedom(*this, output, query);
  if (conformal_half_widths.size() > 0)
    return ConformalHalfWidths(&conformal_half_widths(output * kLevels, query), degrees).at(level);
  return student_t_half_width(level, degrees) * scale_of(degrees);
}

void Prediction::interval(double level, Interval& result) const {
  check_level(level);
  result.lower.resize(mean.rows(), mean.cols());
  result.upper.resize(mean.rows(), mean.cols());
  const bool conformal = conformal_half_widths.size() > 0;
  for (Index o = 0; o < mean.rows(); ++o) {
    double degrees = 0.0;  // none
    double width = 0.0;
    for (Index i = 0; i < mean.cols(); ++i) {
      // All queries of one call have the same shape.
      const double now = splitgp::degrees_of_freedom(*this, o, i);
      if (conformal || now != degrees) width = half_width(o, i, level);
      degrees = now;
      const double half = width * deviation(*this, o, i);
      result.lower(o, i) = mean(o, i) - half;
      result.upper(o, i) = mean(o, i) + half;
    }
  }
}

double Prediction::log_density(Index output, Index query, double observed) const {
  const double degrees = splitgp::degrees_of_freedom(*this, output, query);
  const double scale = deviation(*this, output, query) * scale_of(degrees);
  const double t = (observed - mean(output, query)) / scale;
  return student_t_log_density(t * t, degrees) - std::log(scale);
}

double Prediction::level_of(Index output, Index query, double observed) const {
  const double degrees = splitgp::degrees_of_freedom(*this, output, query);
  const double width = std::abs(observed - mean(output, query)) / deviation(*this, output, query);
  if (conformal_half_widths.size() > 0) {
    return ConformalHalfWidths(&conformal_half_widths(output * kLevels, query), degrees)
        .level_of(width);
  }
  return student_t_level(width / scale_of(degrees), degrees);
}

}  // namespace splitgp
