#pragma once

#include <Eigen/Core>
#include <array>

#include "splitgp/results.h"

namespace splitgp::table {

/// How much wider the error bars of rows must be in which a value was guessed, learned from their
/// errors beside those of all other rows.
class Widening {
 public:
  /// `z_squared`: the error over the standard deviation that was promised, squared.
  void see(bool guessed, double z_squared);
  /// What the variance of a row with a guessed value is multiplied by; at least 1.
  double factor() const;

  /// For the model file; of(numbers()) is the same to the bit.
  using Numbers = std::array<double, 4>;
  Numbers numbers() const;
  static Widening of(const Numbers& numbers);

 private:
  // Fading sums, of the rows with a guessed value and of the others.
  struct Kind {
    double rows = 0.0;
    double squares = 0.0;

    void add(double z_squared);
    double mean() const;
  };
  Kind guessed_, others_;
};

/// Multiplies the variances of one answer; its interval follows.
void widen(Prediction& answer, Eigen::Index column, double factor);

/// The mean over the outputs of the squared error over the variance of the answer's first column.
double squared_z(const Prediction& answer, const Eigen::Ref<const Eigen::VectorXd>& observed);

}  // namespace splitgp::table
