#include "charts/relevance.h"

namespace splitgp {

Eigen::VectorXd relevance(const SplittingGp& model) {
  const Vector spread = model.input_statistics().spread;
  const Eigen::VectorXd variation = spread.cwiseQuotient(model.hyperparameters().length_scale);
  const double sum = variation.sum();
  return sum > 0.0 ? Eigen::VectorXd(variation / sum) : Eigen::VectorXd(variation);
}

Eigen::VectorXd relevance(const SplittingGp& model, const std::vector<table::Feature>& columns) {
  const Vector spread = model.input_statistics().spread;
  const Eigen::VectorXd variation = spread.cwiseQuotient(model.hyperparameters().length_scale);
  Eigen::VectorXd result(std::ssize(columns));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto first = static_cast<Eigen::Index>(columns[k].first);
    const auto count = static_cast<Eigen::Index>(columns[k].count);
    result(static_cast<Eigen::Index>(k)) =
        count == 1 ? variation(first) : variation.segment(first, count).norm();
  }
  const double sum = result.sum();
  if (sum > 0.0) result /= sum;
  return result;
}

}  // namespace splitgp
