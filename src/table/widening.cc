#include "table/widening.h"

#include <algorithm>
#include <limits>

namespace splitgp::table {
namespace {

constexpr double kErrorMemory = 0.998;  // what happened 500 rows of a kind ago counts a third
constexpr double kAsPromised = 10.0;    // rows whose errors were as promised, before there is any
constexpr double kMostZSquared = 25.0;  // one absurd error is not what rows of its kind are like

}  // namespace

void Widening::Kind::add(double z_squared) {
  rows = kErrorMemory * rows + 1.0;
  squares = kErrorMemory * squares + std::min(z_squared, kMostZSquared);
}

double Widening::Kind::mean() const { return (squares + kAsPromised) / (rows + kAsPromised); }

void Widening::see(bool guessed, double z_squared) {
  if (z_squared >= 0.0) (guessed ? guessed_ : others_).add(z_squared);
}

double Widening::factor() const { return std::max(guessed_.mean() / others_.mean(), 1.0); }

Widening::Numbers Widening::numbers() const {
  return {guessed_.rows, guessed_.squares, others_.rows, others_.squares};
}

Widening Widening::of(const Numbers& numbers) {
  Widening result;
  result.guessed_ = {numbers[0], numbers[1]};
  result.others_ = {numbers[2], numbers[3]};
  return result;
}

void widen(Prediction& answer, Eigen::Index column, double factor) {
  if (factor == 1.0) return;
  // Targets may be as large as 1e150; the sum of both has to stay finite.
  constexpr double kMost = 0.25 * std::numeric_limits<double>::max();
  for (Matrix* const part : {&answer.variance, &answer.noise_variance}) {
    part->col(column) = (part->col(column) * factor).cwiseMin(kMost);
  }
}

double squared_z(const Prediction& answer, const Eigen::Ref<const Eigen::VectorXd>& observed) {
  const auto variance = (answer.variance.col(0) + answer.noise_variance.col(0))
                            .cwiseMax(std::numeric_limits<double>::min());
  const auto error = observed - answer.mean.col(0);
  return (error.array().square() / variance.array()).mean();
}

}  // namespace splitgp::table
