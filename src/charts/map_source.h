#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "charts/observed_inputs.h"
#include "charts/partition_slice.h"
#include "splitgp/splitting_gp.h"
#include "table/recipe.h"

namespace splitgp {

/// Predictions as charts need them: rows are outputs, columns are points.
struct PredictedPoints {
  Eigen::MatrixXd mean;
  Eigen::MatrixXd sd;              ///< Of the function.
  Eigen::MatrixXd observation_sd;  ///< The noise of an observation included.
  Eigen::VectorXd half_width;      ///< Of the 95 % interval, in sd, for each output.

  PredictedPoints(Eigen::Index outputs, Eigen::Index points);
  /// Puts predictions at the columns from `first` on.
  void set(Eigen::Index first, const Prediction& prediction);
};

/// What maps of a model are drawn from. A report takes it from a model that stands still; a service
/// from one that goes on learning, which is asked for a few points at a time.
struct MapSource {
  PartitionFacts partition;
  Eigen::VectorXd relevance;  ///< Of the columns that maps may show.
  ObservedInputs observed;
  std::function<PredictedPoints(const Eigen::MatrixXd& points)> predict;
};

/// From a model that does not change while it is used. `columns` as in relevance().
MapSource map_source(const SplittingGp& model, const std::vector<table::Feature>& columns);

}  // namespace splitgp
