#include "charts/map_source.h"

#include "charts/interval_level.h"
#include "charts/relevance.h"

namespace splitgp {

using Eigen::Index;

namespace {

constexpr Index kSampledInputs = 600;

}  // namespace

PredictedPoints::PredictedPoints(Index outputs, Index points)
    : mean(outputs, points),
      sd(outputs, points),
      observation_sd(outputs, points),
      half_width(Eigen::VectorXd::Zero(outputs)) {}

void PredictedPoints::set(Index first, const Prediction& prediction) {
  const Index points = prediction.mean.cols();
  mean.middleCols(first, points) = prediction.mean;
  sd.middleCols(first, points) = prediction.variance.cwiseSqrt();
  observation_sd.middleCols(first, points) =
      (prediction.variance + prediction.noise_variance).cwiseSqrt();
  if (first != 0) return;
  for (Index o = 0; o < half_width.size(); ++o) {
    half_width(o) = prediction.half_width(o, 0, kIntervalLevel);
  }
}

MapSource map_source(const SplittingGp& model, const std::vector<table::Feature>& columns) {
  return {partition_facts(model), relevance(model, columns), observed_inputs(model, kSampledInputs),
          [&model](const Eigen::MatrixXd& points) {
            PredictedPoints result(model.n_outputs(), points.cols());
            result.set(0, model.predict(points));
            return result;
          }};
}

}  // namespace splitgp
