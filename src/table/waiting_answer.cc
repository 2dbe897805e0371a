#include "table/waiting_answer.h"

#include <cmath>
#include <limits>

#include "splitgp/error.h"

namespace splitgp::table {
namespace {

// Notes are JSON, which has no infinity; degrees of freedom are positive.
constexpr double kInfinite = -1.0;

void add(std::vector<double>& to, const Eigen::MatrixXd& values) {
  const Eigen::Index rows = values.cols() > 0 ? values.rows() : 0;
  to.push_back(static_cast<double>(rows));
  for (Eigen::Index i = 0; i < rows; ++i) {
    to.push_back(std::isinf(values(i, 0)) ? kInfinite : values(i, 0));
  }
}

}  // namespace

std::vector<double> pack_answer(const Prediction& prediction, bool interval_known) {
  std::vector<double> answer{interval_known ? 1.0 : 0.0};
  add(answer, prediction.mean);
  add(answer, prediction.variance);
  add(answer, prediction.noise_variance);
  add(answer, prediction.degrees_of_freedom);
  add(answer, prediction.conformal_half_widths);
  return answer;
}

bool unpack_answer(const std::vector<double>& answer, Eigen::Index outputs,
                   Prediction& prediction) {
  std::size_t at = 1;
  const auto take = [&](Matrix& to, bool infinite) {
    const double stated = at < answer.size() ? answer[at++] : -1.0;
    if (!(stated >= 0.0) || stated > static_cast<double>(answer.size() - at)) {
      throw FileError("the model file's note about rows that wait for their target makes no sense");
    }
    const auto rows = static_cast<Eigen::Index>(stated);
    Eigen::MatrixXd values(rows, rows > 0 ? 1 : 0);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const double value = answer[at++];
      values(i, 0) =
          infinite && value == kInfinite ? std::numeric_limits<double>::infinity() : value;
    }
    to = values;
  };
  take(prediction.mean, false);
  take(prediction.variance, false);
  take(prediction.noise_variance, false);
  take(prediction.degrees_of_freedom, true);
  take(prediction.conformal_half_widths, true);
  if (prediction.mean.rows() != outputs || prediction.variance.rows() != outputs ||
      prediction.noise_variance.rows() != outputs) {
    throw FileError("the model file's note about rows that wait for their target makes no sense");
  }
  return answer.front() != 0.0;
}

}  // namespace splitgp::table
