#include "core/predict/predict.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

#include "core/base/parallel.h"
#include "core/partition/waking.h"
#include "core/predict/predictor.h"
#include "core/watch/student_t.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Queries answered together: enough of them to share local GPs, few enough for the cache.
constexpr Index kMostQueries = 4096;
constexpr Index kMostAnswers = 32768;

}  // namespace

Index n_asked(const Field& field) {
  const Index all = field.partition.centers.size();
  if (field.options.comparison.aggregation == Aggregation::nearest) return std::min<Index>(1, all);
  return field.options.neighbors == 0 ? all : std::min<Index>(field.options.neighbors, all);
}

Index n_concerned(const Field& field) {
  if (field.options.capacity == field.options.split_limit) return 1;
  return 1 + std::min<Index>(n_asked(field), Borrowings::kMost);
}

void fill_with_prior(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X,
                     Prediction& result) {
  const Index queries = X.cols();
  const PriorMean& prior_mean = field.theta.prior_mean;
  const Hyperparameters& theta = field.theta.values;
  for (Matrix* part :
       {&result.mean, &result.variance, &result.noise_variance, &result.degrees_of_freedom})
    part->resize(field.outputs, queries);
  for (Index o = 0; o < field.outputs; ++o) {
    const double squared_scale = theta.output_scale(o) * theta.output_scale(o);
    result.noise_variance.row(o).setConstant(theta.noise_variance * squared_scale);
    for (Index i = 0; i < queries; ++i) result.mean(o, i) = prior_mean.trend(o, X.col(i));
    result.variance.row(o).setConstant(theta.signal_variance * squared_scale);
    result.degrees_of_freedom.row(o).setConstant(std::numeric_limits<double>::infinity());
  }
  if (field.options.calibration != Calibration::conformal) {
    result.conformal_half_widths.resize(0, 0);
    return;
  }
  constexpr auto kLevels = static_cast<Index>(Calibrator::kLevels.size());
  result.conformal_half_widths.resize(field.outputs * kLevels, queries);
  if (!field.partition.local_gps.empty()) return;  // Predict fills them
  for (Index k = 0; k < kLevels; ++k) {
    const double width = student_t_half_width(Calibrator::kLevels[static_cast<std::size_t>(k)],
                                              std::numeric_limits<double>::infinity());
    for (Index o = 0; o < field.outputs; ++o)
      result.conformal_half_widths.row(o * kLevels + k).setConstant(width);
  }
}

void predict(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X, const Ahead& ahead,
             Prediction& result) {
  const Index together = std::clamp<Index>(kMostAnswers / n_asked(field), 1, kMostQueries);
  parallel_ranges(X.cols(), field.options.threads, [&](Index first, Index last) {
    Predictor& predictor = thread_predictor();
    for (Index i = first; i < last; i += together) {
      const auto queries = X.middleCols(i, std::min(together, last - i));
      predictor.ask(field, queries);
      predictor.answer(field, queries);
      for (Index j = 0; j < queries.cols(); ++j) {
        predictor.weigh(field, j);
        predictor.combine(field, queries.col(j), j, ahead.of(i + j), result, i + j);
      }
    }
  });
}

Route predict_waking(const Field& field, Partition& partition, const Eigen::Ref<const VectorXd>& x,
                     Prediction& result) {
  Predictor& predictor = thread_predictor();
  predictor.ask(field, x);
  if (field.partition.may_be_dormant) {
    for (const Index local_gp : predictor.local_gps) wake(partition, local_gp);
  }
  predictor.answer(field, x);
  predictor.weigh(field, 0);
  predictor.combine(field, x, 0, 1.0, result, 0);
  predictor.keep_solved_rows(field);
  const auto concerned = static_cast<std::size_t>(n_concerned(field));
  const std::span<const Neighbor> similar = predictor.neighbors;
  return {similar.first(std::min(concerned, similar.size())), predictor.solved_rows};
}

void ask(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X, Predictor& predictor) {
  predictor.ask(field, X);
}

void answer(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X, Predictor& predictor) {
  predictor.reserve(field, std::ssize(predictor.questions));
  predictor.answer(field, X);
}

void combine(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X, const Ahead& ahead,
             Predictor& predictor, Prediction& result) {
  for (Index query = 0; query < X.cols(); ++query) {
    predictor.weigh(field, query);
    predictor.combine(field, X.col(query), query, ahead.of(query), result, query);
  }
}

std::vector<LocalPrediction> explain(const Field& field, const Eigen::Ref<const VectorXd>& x) {
  Predictor predictor;
  predictor.ask(field, x);
  predictor.answer(field, x);
  predictor.weigh(field, 0);
  const auto squared_scale = field.theta.values.output_scale.array().square();
  std::vector<LocalPrediction> result;
  for (std::size_t i = 0; i < predictor.weights.size(); ++i) {
    const Candidate& candidate = predictor.candidates[i];
    result.push_back({predictor.local_gps[i], candidate.log_similarity, predictor.weights[i],
                      predictor.means.col(static_cast<Index>(i)),
                      candidate.posterior.variance * squared_scale});
    for (Index o = 0; o < std::ssize(field.calibrators); ++o) {
      const double scale =
          std::sqrt(predictor.local_scales(o, static_cast<Index>(i)) *
                    field.calibrators[static_cast<std::size_t>(o)].next.factor()) *
          field.partition.at(predictor.local_gps[i]).theta().values.output_scale(o);
      result.back().variance(o) =
          std::min(scale * scale * candidate.posterior.variance, kLargestVariance);
    }
  }
  return result;
}

}  // namespace splitgp
