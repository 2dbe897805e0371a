#include "core/predict/predict_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/predict/predict.h"
#include "core/predict/predictor.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Derivatives that are kept until their queries are combined: 8 MB of them.
constexpr Index kMostDerivatives = 1 << 20;

// The derivatives of a weighted average Σ w_i f_i with w_i = exp(ℓ_i) / Σ exp(ℓ_j) are
// Σ w_i (∇f_i + (f_i − average) ∇ℓ_i): how the weights' sum changes need not be known.
class GradientCombiner {
 public:
  void combine(const Field& field, const Predictor& predictor, const Eigen::Ref<const VectorXd>& x,
               Index query, double ahead, bool decided, PredictionGradient& result, Index column);
  void prepare(Index inputs, Index asked) {
    weight_slopes_.resize(inputs, std::max(asked, weight_slopes_.cols()));
    outsider_slope_.resize(inputs);
    deviation_slope_.resize(inputs);
    log_share_slope_.resize(inputs);
    log_variance_slope_.resize(inputs);
  }

 private:
  void find_weight_slopes(const Field& field, const Predictor& predictor,
                          const Eigen::Ref<const VectorXd>& x, Index query, bool decided);
  void find_share_slope(const Field& field, const Predictor& predictor, Index query, double share);

  Eigen::MatrixXd weight_slopes_;  // ∇ℓ_i, a column for each answer
  VectorXd outsider_slope_;
  VectorXd deviation_slope_;
  VectorXd log_share_slope_;
  VectorXd log_variance_slope_;
};

GradientCombiner& thread_combiner() {
  static thread_local GradientCombiner combiner;
  return combiner;
}

// Outputs of 1e150 over inputs of 1e-150 have derivatives that no double holds: those are the
// largest one, and 0 where several of opposite signs met.
void keep_finite(Eigen::Ref<VectorXd> derivatives) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  for (double& one : derivatives)
    one = std::isnan(one) ? 0.0 : std::clamp(one, -kLargest, kLargest);
}

// The derivatives of log k(c, x) by x.
void similarity_gradient(const Kernel& kernel, const VectorXd& center,
                         const Eigen::Ref<const VectorXd>& x, double factor,
                         Eigen::Ref<VectorXd> sum) {
  if (factor == 0.0) return;
  const VectorXd& inverse = kernel.inverse_length_scale();
  double squared_distance = 0.0;
  for (Index k = 0; k < x.size(); ++k) {
    const double scaled = (x(k) - center(k)) * inverse(k);
    squared_distance += scaled * scaled;
  }
  const double slope = 2.0 * factor * kernel.log_similarity_slope(squared_distance);
  for (Index k = 0; k < x.size(); ++k)
    sum(k) += slope * ((x(k) - center(k)) * inverse(k)) * inverse(k);
}

void GradientCombiner::find_weight_slopes(const Field& field, const Predictor& predictor,
                                          const Eigen::Ref<const VectorXd>& x, Index query,
                                          bool decided) {
  const Kernel& kernel = field.theta.kernel;
  const Index asked = n_asked(field);
  const Index d = field.inputs;
  if (weight_slopes_.rows() != d || weight_slopes_.cols() < asked) weight_slopes_.resize(d, asked);
  weight_slopes_.leftCols(asked).setZero();
  if (asked == 1) return;  // it weighs 1 everywhere
  const Outsider& outsider = predictor.outsiders[static_cast<std::size_t>(query)];
  outsider_slope_.setZero(d);
  if (std::isfinite(outsider.log_similarity)) {
    similarity_gradient(kernel, field.partition.at(outsider.local_gp).center(), x, 1.0,
                        outsider_slope_);
  }
  for (Index r = 0; r < asked; ++r) {
    if (predictor.weights[static_cast<std::size_t>(r)] == 0.0) continue;
    const Index place = query * asked + r;
    const auto at = static_cast<std::size_t>(place);
    const LogWeightSlopes by = log_weight_slopes(predictor.candidates[at], outsider.log_similarity,
                                                 field.options, decided);
    auto slope = weight_slopes_.col(r);
    similarity_gradient(kernel, field.partition.at(predictor.local_gps[at]).center(), x,
                        by.similarity, slope);
    if (by.outsider != 0.0) slope += by.outsider * outsider_slope_;
    const auto answer = predictor.gradients.col(place);
    if (by.explained != 0.0)
      slope += by.explained * answer.segment(LocalGp::GradientRows::kExplained * d, d);
    if (by.variance != 0.0)
      slope += by.variance * answer.segment(LocalGp::GradientRows::kVariance * d, d);
  }
  // Only differences between them matter. Far from the data all are large and nearly the same, and
  // the rounding of an average would be multiplied by them.
  const auto heaviest = std::max_element(predictor.weights.begin(), predictor.weights.end());
  const Index reference = heaviest - predictor.weights.begin();
  for (Index r = 0; r < asked; ++r) {
    if (r != reference) weight_slopes_.col(r) -= weight_slopes_.col(reference);
  }
  weight_slopes_.col(reference).setZero();
}

// The derivatives of log Predictor::share_left, whose numerator is (Σ w σ)² + Σ w (noise variance).
void GradientCombiner::find_share_slope(const Field& field, const Predictor& predictor, Index query,
                                        double share) {
  const Index d = field.inputs;
  const Index first = query * n_asked(field);
  const auto deviation_of = [&](Index r) {
    return std::sqrt(predictor.candidates[static_cast<std::size_t>(first + r)].posterior.variance);
  };
  const auto noise_of = [&](Index r) {
    return predictor.thetas[static_cast<std::size_t>(first + r)]->values.noise_variance;
  };
  double deviation = 0.0;
  double noise = 0.0;
  for (Index r = 0; r < n_asked(field); ++r) {
    const double weight = predictor.weights[static_cast<std::size_t>(r)];
    deviation += weight * deviation_of(r);
    noise += weight * noise_of(r);
  }
  log_share_slope_.setZero(d);
  for (Index r = 0; r < n_asked(field); ++r) {
    const double weight = predictor.weights[static_cast<std::size_t>(r)];
    if (weight == 0.0) continue;
    const auto variance_slope =
        predictor.gradients.col(first + r).segment(LocalGp::GradientRows::kVariance * d, d);
    const double surplus = 2.0 * deviation * (deviation_of(r) - deviation) + noise_of(r) - noise;
    log_share_slope_ +=
        weight * (deviation / deviation_of(r) * variance_slope + surplus * weight_slopes_.col(r));
  }
  const Hyperparameters& theta = field.theta.values;
  log_share_slope_ /= share * (theta.signal_variance + theta.noise_variance);
}

void GradientCombiner::combine(const Field& field, const Predictor& predictor,
                               const Eigen::Ref<const VectorXd>& x, Index query, double ahead,
                               bool decided, PredictionGradient& result, Index column) {
  find_weight_slopes(field, predictor, x, query, decided);
  const bool by_share = std::isnan(ahead) && !field.calibrators.empty();
  const double share = by_share ? predictor.share_left(field, query) : 1.0;
  if (by_share) find_share_slope(field, predictor, query, share);
  const Index d = field.inputs;
  const Index asked = n_asked(field);
  deviation_slope_.resize(d);
  for (Index o = 0; o < field.outputs; ++o) {
    auto mean_gradient = result.mean_gradient.col(column).segment(o * d, d);
    auto variance_gradient = result.variance_gradient.col(column).segment(o * d, d);
    // As in Predictor::combine: without calibration, scales are those of the current θ.
    const ReachCalibrator::Scale reach =
        field.calibrators.empty()
            ? ReachCalibrator::Scale{1.0, std::numeric_limits<double>::infinity()}
            : field.calibrators[static_cast<std::size_t>(o)].scale(ahead, share);
    const auto scale_of = [&](Index place) {
      if (field.calibrators.empty()) return field.theta.values.output_scale(o);
      const Index local_gp = predictor.local_gps[static_cast<std::size_t>(place)];
      return std::sqrt(predictor.local_scales(o, place) * reach.factor) *
             field.partition.at(local_gp).theta().values.output_scale(o);
    };
    const auto deviation_of = [&](Index place) {
      return scale_of(place) *
             std::sqrt(predictor.candidates[static_cast<std::size_t>(place)].posterior.variance);
    };
    double deviation = 0.0;
    for (Index r = 0; r < asked; ++r)
      deviation += predictor.weights[static_cast<std::size_t>(r)] * deviation_of(query * asked + r);
    // f's own averages, which the experts may have changed in the result.
    double mean = 0.0;
    double noise_variance = 0.0;
    const auto noise_of = [&](Index r) {
      const Index local_gp = predictor.local_gps[static_cast<std::size_t>(query * asked + r)];
      const double own = scale_of(query * asked + r) *
                         std::sqrt(field.partition.at(local_gp).theta().values.noise_variance);
      return std::min(own * own, kLargestVariance);
    };
    for (Index r = 0; r < asked; ++r) {
      const double weight = predictor.weights[static_cast<std::size_t>(r)];
      mean += weight * predictor.means(o, query * asked + r);
      noise_variance += weight * noise_of(r);
    }
    mean_gradient.setZero();
    deviation_slope_.setZero();
    for (Index r = 0; r < asked; ++r) {
      const double weight = predictor.weights[static_cast<std::size_t>(r)];
      if (weight == 0.0) continue;
      const Index place = query * asked + r;
      const auto answer = predictor.gradients.col(place);
      const double mean_difference = predictor.means(o, place) - mean;
      mean_gradient += weight * (answer.segment((LocalGp::GradientRows::kMeans + o) * d, d) +
                                 mean_difference * weight_slopes_.col(r));
      // d(scale·√V) = scale·dV / (2√V) = scale²·dV / (2 scale·√V)
      const double own = deviation_of(place);
      const double scale = scale_of(place);
      deviation_slope_ += weight * (0.5 * scale * (scale / own) *
                                        answer.segment(LocalGp::GradientRows::kVariance * d, d) +
                                    (own - deviation) * weight_slopes_.col(r));
    }
    // Each local GP's own noise does not depend on x, but the weights do.
    auto noise_gradient = result.noise_variance_gradient.col(column).segment(o * d, d);
    noise_gradient.setZero();
    for (Index r = 0; r < asked && !field.calibrators.empty(); ++r) {
      noise_gradient += predictor.weights[static_cast<std::size_t>(r)] *
                        (noise_of(r) - noise_variance) * weight_slopes_.col(r);
    }
    if (deviation * deviation < kLargestVariance) {
      variance_gradient = 2.0 * deviation * deviation_slope_;
    } else {
      variance_gradient.setZero();
    }
    // The factor itself depends on x for a query of an unknown time.
    if (reach.slope != 0.0) {
      variance_gradient += (reach.slope * result.variance(o, column)) * log_share_slope_;
      noise_gradient += (reach.slope * result.noise_variance(o, column)) * log_share_slope_;
    }
    if (field.experts != nullptr) {
      const double variance = std::min(deviation * deviation, kLargestVariance);
      const double total = variance + noise_variance;
      const Mixed mixed = field.experts->mix(o, ahead, x, mean, total / reach.factor);
      log_variance_slope_ = (variance_gradient + noise_gradient) / total;
      mean_gradient = mixed.by_mean * mean_gradient + mixed.by_log_variance * log_variance_slope_;
      if (mixed.by_linear != 0.0) {
        for (Index k = 0; k < d; ++k)
          mean_gradient(k) += mixed.by_linear * field.experts->linear_slope(o, k);
      }
      const double share_slope = mixed.variance_share * mixed.share_by_log_variance;
      variance_gradient =
          mixed.variance_share * variance_gradient + share_slope * variance * log_variance_slope_;
      noise_gradient = mixed.variance_share * noise_gradient +
                       share_slope * noise_variance * log_variance_slope_;
    }
    keep_finite(mean_gradient);
    keep_finite(variance_gradient);
    keep_finite(noise_gradient);
  }
}

}  // namespace

void fill_with_prior_gradient(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X,
                              PredictionGradient& result) {
  const PriorMean& prior_mean = field.theta.prior_mean;
  const Index d = field.inputs;
  for (Matrix* part :
       {&result.mean_gradient, &result.variance_gradient, &result.noise_variance_gradient})
    part->resize(field.outputs * d, X.cols());
  result.variance_gradient.setZero();
  result.noise_variance_gradient.setZero();
  if (!prior_mean.has_trend()) {
    result.mean_gradient.setZero();
    return;
  }
  for (Index i = 0; i < X.cols(); ++i) {
    for (Index o = 0; o < field.outputs; ++o) {
      for (Index k = 0; k < d; ++k)
        result.mean_gradient(o * d + k, i) = prior_mean.trend_slope(o, k, X.col(i));
    }
  }
}

void prepare_thread(const Field& field) {
  thread_predictor().prepare(field);
  thread_combiner().prepare(field.inputs, field.options.neighbors);
  GrowingCholesky::prepare_thread(Index{field.options.capacity} + 2);
}

void predict_gradient(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X,
                      const Ahead& ahead, PredictionGradient& result) {
  const Index derivatives = LocalGp::GradientRows::count(field.inputs, field.outputs);
  const Index together =
      std::clamp<Index>(kMostDerivatives / (n_asked(field) * derivatives), 1, 4096);
  parallel_ranges(X.cols(), field.options.threads, [&](Index first, Index last) {
    Predictor& predictor = thread_predictor();
    GradientCombiner& combiner = thread_combiner();
    for (Index i = first; i < last; i += together) {
      const auto queries = X.middleCols(i, std::min(together, last - i));
      predictor.ask(field, queries);
      predictor.answer(field, queries, true);
      for (Index j = 0; j < queries.cols(); ++j) {
        const bool decided = predictor.weigh(field, j);
        predictor.combine(field, queries.col(j), j, ahead.of(i + j), result, i + j);
        combiner.combine(field, predictor, queries.col(j), j, ahead.of(i + j), decided, result,
                         i + j);
      }
    }
  });
}

}  // namespace splitgp
