#include "core/predict.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

#include "core/aggregate.h"
#include "core/parallel.h"
#include "core/prefetch.h"
#include "core/student_t.h"
#include "core/waking.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Queries answered together: enough of them to share local GPs, few enough for the cache.
constexpr Index kMostQueries = 4096;
constexpr Index kMostAnswers = 32768;
// Variances are kept below this: infinite ones could not be added up.
constexpr double kLargestVariance = 0.25 * std::numeric_limits<double>::max();
// Queries that one local GP answers at a time.
constexpr Index kBlock = 32;

// A question to one local GP; its answer goes to place `answer`.
struct Question {
  Index local_gp;
  Index query;
  Index answer;
};

// What one thread needs to predict. Query i, rank r: answer i·asked + r.
struct Predictor {
  Workspace workspace;
  std::vector<Neighbor> neighbors;
  std::vector<Index> local_gps;  // which one gave each answer
  std::vector<Question> questions;
  std::vector<double> outsiders;
  std::vector<Candidate> candidates;
  Eigen::MatrixXd means;         // outputs × answers
  Eigen::MatrixXd local_scales;  // the same; only with calibration
  std::vector<double> weights;

  // One local GP's block
  Eigen::MatrixXd queries;
  Eigen::MatrixXd block_means;
  std::vector<LocalGp::Posterior> posteriors;
  VectorXd block_scales;

  void ask(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X);
  void answer(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X);
  void weigh(const ModelState& model, Index query);
};

// s_i ← k(x, c_i): the local GPs that are asked, and the first that is not, for the taper.
void Predictor::ask(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X) {
  const Kernel& kernel = model.knowledge.theta->kernel;
  const Index asked = n_asked(model);
  const auto answers = static_cast<std::size_t>(X.cols() * asked);
  questions.clear();
  outsiders.clear();
  local_gps.resize(answers);
  candidates.resize(answers);
  if (means.rows() != model.outputs || means.cols() < X.cols() * asked)
    means.resize(model.outputs, X.cols() * asked);
  if (!model.calibrators.empty() &&
      (local_scales.rows() != model.outputs || local_scales.cols() < X.cols() * asked))
    local_scales.resize(model.outputs, X.cols() * asked);
  for (Index i = 0; i < X.cols(); ++i) {
    model.partition.centers.most_similar(kernel, X.col(i), asked + 1, neighbors);
    const bool outsider = std::ssize(neighbors) > asked;
    outsiders.push_back(outsider ? kernel.log_similarity(neighbors.back().squared_distance)
                                 : -std::numeric_limits<double>::infinity());
    for (Index r = 0; r < asked; ++r) {
      const Neighbor& neighbor = neighbors[static_cast<std::size_t>(r)];
      const auto place = static_cast<std::size_t>(i * asked + r);
      local_gps[place] = neighbor.local_gp;
      candidates[place].log_similarity = kernel.log_similarity(neighbor.squared_distance);
      questions.push_back({neighbor.local_gp, i, i * asked + r});
    }
  }
}

// E_i ← Mean((X_i, Y_i, c_i), x), and the variance. Local GP by local GP, so that each factor is
// read once for many queries; an answer is the same to the bit, alone or in a batch.
void Predictor::answer(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X) {
  std::sort(questions.begin(), questions.end(), [](const Question& a, const Question& b) {
    return a.local_gp != b.local_gp ? a.local_gp < b.local_gp : a.answer < b.answer;
  });
  queries.resize(model.inputs, kBlock);
  block_means.resize(model.outputs, kBlock);
  posteriors.resize(kBlock);
  if (model.partition.may_be_dormant) {
    for (const Question& question : questions) wake_for_reading(model.partition, question.local_gp);
  }
  // A single query's local GPs may not be in the cache. First fetch what says where their data are.
  const auto local_gp = [&](std::size_t question) -> const LocalGp& {
    return model.partition.at(questions[question].local_gp);
  };
  if (X.cols() == 1) {
    for (std::size_t q = 0; q < questions.size(); ++q) prefetch(&local_gp(q), 1);
  }
  for (std::size_t first = 0; first < questions.size();) {
    Index count = 0;
    const Index asked = questions[first].local_gp;
    for (std::size_t q = first; q < questions.size() && count < kBlock; ++q, ++count) {
      if (questions[q].local_gp != asked) break;
      queries.col(count) = X.col(questions[q].query);
    }
    const std::size_t next = first + static_cast<std::size_t>(count);
    if (next < questions.size()) local_gp(next).prefetch();
    model.partition.at(asked).predict(queries.leftCols(count), workspace,
                                      block_means.leftCols(count), posteriors,
                                      model.calibrators.empty() ? nullptr : &block_scales);
    for (Index i = 0; i < count; ++i) {
      const Index place = questions[first + static_cast<std::size_t>(i)].answer;
      means.col(place) = block_means.col(i);
      if (!model.calibrators.empty()) local_scales.col(place) = block_scales;
      candidates[static_cast<std::size_t>(place)].posterior =
          posteriors[static_cast<std::size_t>(i)];
    }
    first += static_cast<std::size_t>(count);
  }
}

void Predictor::weigh(const ModelState& model, Index query) {
  const auto asked = static_cast<std::size_t>(n_asked(model));
  const auto at = static_cast<std::size_t>(query);
  aggregation_weights(std::span(candidates).subspan(at * asked, asked), outsiders[at],
                      model.options, weights);
}

// Each local GP's deviation and noise times its local scale, and the whole times the factor that
// innovations have taught. Means and weights do not change. A local scale goes with the θ it was
// measured by, so all of it is a local GP's own, also while a new θ is on its way to it.
void combine_calibrated(const ModelState& model, const Predictor& predictor, Index query,
                        Prediction& result, Index column) {
  const Index first = query * n_asked(model);
  for (Index o = 0; o < model.outputs; ++o) {
    const Calibrator& calibrator = model.calibrators[static_cast<std::size_t>(o)];
    double deviation = 0.0;
    double noise_variance = 0.0;
    Index place = first;
    for (const double weight : predictor.weights) {
      const auto at = static_cast<std::size_t>(place);
      const Hyperparameters& theta = model.partition.at(predictor.local_gps[at]).theta().values;
      const double scale = std::sqrt(predictor.local_scales(o, place++) * calibrator.factor()) *
                           theta.output_scale(o);
      // Deviations until the very end: products of variances may overflow on the way.
      deviation += weight * scale * std::sqrt(predictor.candidates[at].posterior.variance);
      const double noise = scale * std::sqrt(theta.noise_variance);
      noise_variance += weight * std::min(noise * noise, kLargestVariance);
    }
    result.variance(o, column) = std::min(deviation * deviation, kLargestVariance);
    result.noise_variance(o, column) = std::min(noise_variance, kLargestVariance);
    result.degrees_of_freedom(o, column) = calibrator.degrees_of_freedom();
    if (model.options.calibration != Calibration::conformal) continue;
    constexpr auto kLevels = static_cast<Index>(Calibrator::kLevels.size());
    calibrator.half_widths(std::span<double, Calibrator::kLevels.size()>(
        &result.conformal_half_widths(o * kLevels, column), Calibrator::kLevels.size()));
  }
}

// ŷ ← Σ w_i E_i, with standard deviation Σ w_i σ_i: children of one parent model the same function,
// so their errors are taken as fully correlated, an upper bound for any correlation.
void combine(const ModelState& model, const Predictor& predictor, Index query, Prediction& result,
             Index column) {
  auto mean = result.mean.col(column);
  mean.setZero();
  double deviation = 0.0;
  Index place = query * n_asked(model);
  for (const double weight : predictor.weights) {
    mean += weight * predictor.means.col(place);
    const Candidate& candidate = predictor.candidates[static_cast<std::size_t>(place++)];
    deviation += weight * std::sqrt(candidate.posterior.variance);
  }
  result.variance.col(column) =
      (deviation * model.knowledge.theta->values.output_scale).array().square();
  if (!model.calibrators.empty()) combine_calibrated(model, predictor, query, result, column);
}

}  // namespace

Index n_asked(const ModelState& model) {
  const Index all = model.partition.centers.size();
  if (model.options.aggregation == Aggregation::nearest) return std::min<Index>(1, all);
  return model.options.neighbors == 0 ? all : std::min<Index>(model.options.neighbors, all);
}

void fill_with_prior(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X,
                     Prediction& result) {
  const Index queries = X.cols();
  const PriorMean& prior_mean = model.knowledge.theta->prior_mean;
  const Hyperparameters& theta = model.knowledge.theta->values;
  for (Matrix* part :
       {&result.mean, &result.variance, &result.noise_variance, &result.degrees_of_freedom})
    part->resize(model.outputs, queries);
  for (Index o = 0; o < model.outputs; ++o) {
    const double squared_scale = theta.output_scale(o) * theta.output_scale(o);
    result.noise_variance.row(o).setConstant(theta.noise_variance * squared_scale);
    for (Index i = 0; i < queries; ++i) result.mean(o, i) = prior_mean.trend(o, X.col(i));
    result.variance.row(o).setConstant(theta.signal_variance * squared_scale);
    result.degrees_of_freedom.row(o).setConstant(std::numeric_limits<double>::infinity());
  }
  if (model.options.calibration != Calibration::conformal) {
    result.conformal_half_widths.resize(0, 0);
    return;
  }
  constexpr auto kLevels = static_cast<Index>(Calibrator::kLevels.size());
  result.conformal_half_widths.resize(model.outputs * kLevels, queries);
  if (!model.partition.local_gps.empty()) return;  // Predict fills them
  for (Index k = 0; k < kLevels; ++k) {
    const double width = student_t_half_width(Calibrator::kLevels[static_cast<std::size_t>(k)],
                                              std::numeric_limits<double>::infinity());
    for (Index o = 0; o < model.outputs; ++o)
      result.conformal_half_widths.row(o * kLevels + k).setConstant(width);
  }
}

void predict(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X,
             Prediction& result) {
  const Index together = std::clamp<Index>(kMostAnswers / n_asked(model), 1, kMostQueries);
  parallel_ranges(X.cols(), model.options.threads, [&](Index first, Index last) {
    static thread_local Predictor predictor;
    for (Index i = first; i < last; i += together) {
      const auto queries = X.middleCols(i, std::min(together, last - i));
      predictor.ask(model, queries);
      predictor.answer(model, queries);
      for (Index j = 0; j < queries.cols(); ++j) {
        predictor.weigh(model, j);
        combine(model, predictor, j, result, i + j);
      }
    }
  });
}

std::span<const Neighbor> predict_waking(ModelState& model, const Eigen::Ref<const VectorXd>& x,
                                         Prediction& result) {
  static thread_local Predictor predictor;
  predictor.ask(model, x);
  if (model.partition.may_be_dormant) {
    for (const Index local_gp : predictor.local_gps) wake(model.partition, local_gp);
  }
  predictor.answer(model, x);
  predictor.weigh(model, 0);
  combine(model, predictor, 0, result, 0);
  return predictor.neighbors;
}

std::vector<LocalPrediction> explain(const ModelState& model, const Eigen::Ref<const VectorXd>& x) {
  Predictor predictor;
  predictor.ask(model, x);
  predictor.answer(model, x);
  predictor.weigh(model, 0);
  const auto squared_scale = model.knowledge.theta->values.output_scale.array().square();
  std::vector<LocalPrediction> result;
  for (std::size_t i = 0; i < predictor.weights.size(); ++i) {
    const Candidate& candidate = predictor.candidates[i];
    result.push_back({predictor.local_gps[i], candidate.log_similarity, predictor.weights[i],
                      predictor.means.col(static_cast<Index>(i)),
                      candidate.posterior.variance * squared_scale});
    for (Index o = 0; o < std::ssize(model.calibrators); ++o) {
      const double scale =
          std::sqrt(predictor.local_scales(o, static_cast<Index>(i)) *
                    model.calibrators[static_cast<std::size_t>(o)].factor()) *
          model.partition.at(predictor.local_gps[i]).theta().values.output_scale(o);
      result.back().variance(o) =
          std::min(scale * scale * candidate.posterior.variance, kLargestVariance);
    }
  }
  return result;
}

}  // namespace splitgp
