#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/random_matrix.h"

namespace splitgp::testing {

/// What happens to a stream half-way.
enum class Change {
  start,            ///< a machine that idled, its output constant to the last digit, starts
  start_within,     ///< the same, but it idled in the middle of where its inputs will be
  output_range,     ///< the output's sensor changes its range: 100 times the values
  input_range,      ///< an input's sensor does
  operating_point,  ///< the inputs move to a new region, where the function is another
};

inline std::string name_of(Change change) {
  switch (change) {
    case Change::start:
      return "start";
    case Change::start_within:
      return "start_within";
    case Change::output_range:
      return "output_range";
    case Change::input_range:
      return "input_range";
    case Change::operating_point:
      return "operating_point";
  }
  return "?";
}

/// A stream that changes its regime once, or there and back; observations are columns.
struct RegimeStream {
  Eigen::MatrixXd X;
  Eigen::MatrixXd Y;
  std::vector<Eigen::Index> changes;  // the first row of each regime but the first
};

/// The rows of a RegimeStream, one after the other: four inputs that wander, one output.
class RegimeSource {
 public:
  RegimeSource(Change change, std::uint64_t seed) : change_(change), random_(seed) {
    state_ = random_.normal_matrix(kInputs, 1).col(0);
    slope_ = random_.normal_matrix(kInputs, 1).col(0);
    phase_ = 6.0 * random_.uniform();
  }

  static constexpr Eigen::Index kInputs = 4;

  /// Appends one row of the old or of the new regime to columns `i`.
  void next(bool changed, Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y) {
    // An autoregression with a memory of twenty rows: a machine's state does not jump.
    state_ =
        0.95 * state_ + std::sqrt(1.0 - 0.95 * 0.95) * random_.normal_matrix(kInputs, 1).col(0);
    const double level = slope_.dot(state_) + 2.0 * std::sin(state_(0) + phase_);
    x = units().cwiseProduct(state_) + offsets();
    switch (change_) {
      case Change::start:
      case Change::start_within:
        if (changed) {
          y(0) = last_digit(55.0 + 10.0 * level + random_.normal());
        } else {
          x = 1e-3 * units().cwiseProduct(random_.normal_matrix(kInputs, 1).col(0));
          if (change_ == Change::start_within) x += offsets();
          y(0) = last_digit(20.0 + 0.004 * random_.normal());
        }
        break;
      case Change::output_range:
        y(0) = (changed ? 100.0 : 1.0) * (3.0 + level + 0.1 * random_.normal());
        break;
      case Change::input_range:
        y(0) = 3.0 + level + 0.1 * random_.normal();
        if (changed) x(0) *= 100.0;
        break;
      case Change::operating_point:
        y(0) = 3.0 + level + 0.1 * random_.normal();
        if (changed) {
          x += 12.0 * units();
          y(0) = 40.0 + 8.0 * std::sin(1.5 * state_(1) - state_(2)) + 4.0 * state_(3) +
                 0.5 * random_.normal();
        }
        break;
    }
  }

 private:
  static Eigen::VectorXd units() { return Eigen::Vector4d(1.0, 30.0, 0.2, 5.0); }
  static Eigen::VectorXd offsets() { return Eigen::Vector4d(0.0, 1500.0, 1.0, 80.0); }
  static double last_digit(double value) { return std::round(value * 100.0) / 100.0; }

  Change change_;
  Random random_;
  Eigen::VectorXd state_;
  Eigen::VectorXd slope_;
  double phase_ = 0.0;
};

/// Regimes of the given lengths, the old one first, in turn.
inline RegimeStream regime_stream(Change change, const std::vector<Eigen::Index>& lengths,
                                  std::uint64_t seed) {
  Eigen::Index n = 0;
  RegimeStream stream;
  for (const Eigen::Index length : lengths) {
    if (n > 0) stream.changes.push_back(n);
    n += length;
  }
  stream.X.resize(RegimeSource::kInputs, n);
  stream.Y.resize(1, n);
  RegimeSource source(change, seed);
  Eigen::Index row = 0;
  bool changed = false;
  for (const Eigen::Index length : lengths) {
    for (Eigen::Index i = 0; i < length; ++i, ++row) {
      source.next(changed, stream.X.col(row), stream.Y.col(row));
    }
    changed = !changed;
  }
  return stream;
}

}  // namespace splitgp::testing
