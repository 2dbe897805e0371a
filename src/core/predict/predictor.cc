#include "core/predict/predictor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "core/base/prefetch.h"
#include "core/partition/waking.h"
#include "core/predict/predict.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Queries that one local GP answers at a time.
constexpr Index kBlock = 32;

}  // namespace

Predictor& thread_predictor() {
  static thread_local Predictor predictor;
  return predictor;
}

void Predictor::prepare(const Field& field) {
  const Index most = Index{field.options.capacity} + 2;
  const Index n = field.options.neighbors;
  const auto count = static_cast<std::size_t>(n);
  const Index p = field.outputs;
  const Index rows = LocalGp::GradientRows::count(field.inputs, p);
  workspace.reserve(most, 1);
  for (std::size_t r = 0; r < std::min(solved.size(), count); ++r) solved[r].reserve(most, 1);
  solved_rows.reserve(solved.size());
  neighbors.reserve(count + 1);
  local_gps.reserve(count);
  thetas.reserve(count);
  questions.reserve(count);
  outsiders.reserve(1);
  candidates.reserve(count);
  weights.reserve(count);
  if (means.rows() != p || means.cols() < n) means.resize(p, n);
  if (local_scales.rows() != p || local_scales.cols() < n) local_scales.resize(p, n);
  queries.resize(field.inputs, kBlock);
  block_means.resize(p, kBlock);
  posteriors.resize(kBlock);
  block_scales.resize(p);
  block_gradients.resize(rows, kBlock);
  if (gradients.rows() != rows || gradients.cols() < n) gradients.resize(rows, n);
  gradient_workspace.slopes.reserve(most, 1);
  gradient_workspace.solved.reserve(most, 1 + p);
  gradient_workspace.weighted.resize(std::max(most, gradient_workspace.weighted.rows()), 1 + p);
  gradient_workspace.sums.resize(field.inputs, 1 + p);
  gradient_workspace.differences.reserve(most, 1 + p);
}

void Predictor::reserve(const Field& field, Index answers) {
  candidates.resize(static_cast<std::size_t>(answers));
  if (means.rows() != field.outputs || means.cols() < answers) means.resize(field.outputs, answers);
  if (!field.calibrators.empty() &&
      (local_scales.rows() != field.outputs || local_scales.cols() < answers))
    local_scales.resize(field.outputs, answers);
}

// s_i ← k(x, c_i): the local GPs that are asked, and the first that is not, for the taper.
void Predictor::ask(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X) {
  const Kernel& kernel = field.theta.kernel;
  asked = n_asked(field);
  const auto answers = static_cast<std::size_t>(X.cols() * asked);
  questions.clear();
  outsiders.clear();
  local_gps.resize(answers);
  thetas.resize(answers);
  reserve(field, X.cols() * asked);
  for (Index i = 0; i < X.cols(); ++i) {
    field.partition.centers.most_similar(kernel, X.col(i), asked + 1, neighbors);
    Outsider& outsider = outsiders.emplace_back();
    if (std::ssize(neighbors) > asked) {
      outsider.local_gp = neighbors.back().local_gp;
      outsider.log_similarity = kernel.log_similarity(neighbors.back().squared_distance);
    }
    for (Index r = 0; r < asked; ++r) {
      const Neighbor& neighbor = neighbors[static_cast<std::size_t>(r)];
      const auto place = static_cast<std::size_t>(i * asked + r);
      local_gps[place] = neighbor.local_gp;
      thetas[place] = &field.partition.at(neighbor.local_gp).theta();
      candidates[place].log_similarity = kernel.log_similarity(neighbor.squared_distance);
      questions.push_back({neighbor.local_gp, i, i * asked + r});
    }
  }
}

// E_i ← Mean((X_i, Y_i, c_i), x), and the variance. Local GP by local GP, so that each factor is
// read once for many queries; an answer is the same to the bit, alone or in a batch.
void Predictor::answer(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X,
                       bool with_gradients) {
  std::sort(questions.begin(), questions.end(), [](const Question& a, const Question& b) {
    return a.local_gp != b.local_gp ? a.local_gp < b.local_gp : a.answer < b.answer;
  });
  queries.resize(field.inputs, kBlock);
  block_means.resize(field.outputs, kBlock);
  posteriors.resize(kBlock);
  if (with_gradients) {
    const Index rows = LocalGp::GradientRows::count(field.inputs, field.outputs);
    block_gradients.resize(rows, kBlock);
    const Index answers = std::ssize(questions);
    if (gradients.rows() != rows || gradients.cols() < answers) gradients.resize(rows, answers);
  }
  if (field.partition.may_be_dormant) {
    for (const Question& question : questions) wake_for_reading(field.partition, question.local_gp);
  }
  if (with_gradients) {
    for (const Question& question : questions)
      solve_backward_for_reading(field.partition, question.local_gp);
  }
  // A single query's local GPs may not be in the cache. First fetch what says where their data are.
  const auto local_gp = [&](std::size_t question) -> const LocalGp& {
    return field.partition.at(questions[question].local_gp);
  };
  if (X.cols() == 1) {
    for (std::size_t q = 0; q < questions.size(); ++q) prefetch(&local_gp(q), 1);
  }
  for (std::size_t first = 0; first < questions.size();) {
    Index count = 0;
    const Index one = questions[first].local_gp;
    for (std::size_t q = first; q < questions.size() && count < kBlock; ++q, ++count) {
      if (questions[q].local_gp != one) break;
      queries.col(count) = X.col(questions[q].query);
    }
    const std::size_t next = first + static_cast<std::size_t>(count);
    if (next < questions.size()) local_gp(next).prefetch();
    VectorXd* const scales = field.calibrators.empty() ? nullptr : &block_scales;
    Workspace& space = workspace_for(X.cols(), questions[first].answer);
    if (with_gradients) {
      field.partition.at(one).predict_gradient(queries.leftCols(count), space, gradient_workspace,
                                               block_means.leftCols(count), posteriors, scales,
                                               block_gradients.leftCols(count));
    } else {
      field.partition.at(one).predict(queries.leftCols(count), space, block_means.leftCols(count),
                                      posteriors, scales);
    }
    for (Index i = 0; i < count; ++i) {
      const Index place = questions[first + static_cast<std::size_t>(i)].answer;
      means.col(place) = block_means.col(i);
      if (!field.calibrators.empty()) local_scales.col(place) = block_scales;
      if (with_gradients) gradients.col(place) = block_gradients.col(i);
      candidates[static_cast<std::size_t>(place)].posterior =
          posteriors[static_cast<std::size_t>(i)];
    }
    first += static_cast<std::size_t>(count);
  }
}

Workspace& Predictor::workspace_for(Index queries_together, Index answer) {
  const auto rank = static_cast<std::size_t>(answer);
  return queries_together == 1 && rank < solved.size() ? solved[rank] : workspace;
}

void Predictor::keep_solved_rows(const Field& field) {
  solved_rows.clear();
  for (std::size_t r = 0; r < std::min(solved.size(), local_gps.size()); ++r) {
    solved_rows.push_back(
        {solved[r].columns.data(), field.partition.at(local_gps[r]).factor().version()});
  }
}

bool Predictor::weigh(const Field& field, Index query) {
  const auto at = static_cast<std::size_t>(query);
  const auto first = static_cast<std::size_t>(query * asked);
  return aggregation_weights(std::span(candidates).subspan(first, static_cast<std::size_t>(asked)),
                             outsiders[at].log_similarity, field.options, weights);
}

double Predictor::share_left(const Field& field, Index query) const {
  double deviation = 0.0;
  double noise = 0.0;
  Index place = query * asked;
  for (const double weight : weights) {
    const auto at = static_cast<std::size_t>(place++);
    deviation += weight * std::sqrt(candidates[at].posterior.variance);
    noise += weight * thetas[at]->values.noise_variance;
  }
  const Hyperparameters& theta = field.theta.values;
  return (deviation * deviation + noise) / (theta.signal_variance + theta.noise_variance);
}

// Each local GP's deviation and noise times its local scale, and the whole times the factor that
// innovations have taught. Weights do not change, and means only by what the experts know better. A
// local scale goes with the θ it was measured by, so all of it is a local GP's own, also while a
// new θ is on its way to it.
void Predictor::combine_calibrated(const Field& field, const Eigen::Ref<const VectorXd>& x,
                                   Index query, double ahead, Prediction& result,
                                   Index column) const {
  const Index first = query * asked;
  const double share = std::isnan(ahead) ? share_left(field, query) : 1.0;
  for (Index o = 0; o < field.outputs; ++o) {
    const ReachCalibrator& calibrator = field.calibrators[static_cast<std::size_t>(o)];
    const ReachCalibrator::Scale reach = calibrator.scale(ahead, share);
    double deviation = 0.0;
    double noise_variance = 0.0;
    Index place = first;
    for (const double weight : weights) {
      const auto at = static_cast<std::size_t>(place);
      const Hyperparameters& theta = thetas[at]->values;
      const double scale =
          std::sqrt(local_scales(o, place++) * reach.factor) * theta.output_scale(o);
      // Deviations until the very end: products of variances may overflow on the way.
      deviation += weight * scale * std::sqrt(candidates[at].posterior.variance);
      const double noise = scale * std::sqrt(theta.noise_variance);
      noise_variance += weight * std::min(noise * noise, kLargestVariance);
    }
    result.variance(o, column) = std::min(deviation * deviation, kLargestVariance);
    result.noise_variance(o, column) = std::min(noise_variance, kLargestVariance);
    result.degrees_of_freedom(o, column) = reach.degrees_of_freedom;
    if (field.experts != nullptr) {
      const double total = result.variance(o, column) + result.noise_variance(o, column);
      const Mixed mixed =
          field.experts->mix(o, ahead, x, result.mean(o, column), total / reach.factor);
      result.mean(o, column) = mixed.mean;
      result.variance(o, column) *= mixed.variance_share;
      result.noise_variance(o, column) *= mixed.variance_share;
    }
    if (field.options.calibration != Calibration::conformal) continue;
    constexpr auto kLevels = static_cast<Index>(Calibrator::kLevels.size());
    calibrator.next.half_widths(
        reach.degrees_of_freedom,
        std::span<double, Calibrator::kLevels.size()>(
            &result.conformal_half_widths(o * kLevels, column), Calibrator::kLevels.size()));
  }
}

// ŷ ← Σ w_i E_i, with standard deviation Σ w_i σ_i: children of one parent model the same function,
// so their errors are taken as fully correlated, an upper bound for any correlation.
void Predictor::combine(const Field& field, const Eigen::Ref<const VectorXd>& x, Index query,
                        double ahead, Prediction& result, Index column) const {
  auto mean = result.mean.col(column);
  mean.setZero();
  double deviation = 0.0;
  Index place = query * asked;
  for (const double weight : weights) {
    mean += weight * means.col(place);
    const Candidate& candidate = candidates[static_cast<std::size_t>(place++)];
    deviation += weight * std::sqrt(candidate.posterior.variance);
  }
  result.variance.col(column) = (deviation * field.theta.values.output_scale).array().square();
  if (!field.calibrators.empty()) combine_calibrated(field, x, query, ahead, result, column);
}

}  // namespace splitgp
