#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "serve/jobs/reply_job.h"

namespace splitgp::serve {

/// Rows of numbers to be learned. One column for each row.
struct LearnRows {
  Eigen::MatrixXd x;  ///< Without columns: labels of rows that wait, by their ids.
  Eigen::MatrixXd y;
  Eigen::VectorXd noise_variance;  ///< Empty, or one for each row.
  Eigen::VectorXd time;            ///< Likewise.
  std::vector<std::string> ids;    ///< Likewise.
  double level = 0.95;
};

/// `learn`: rows of numbers, or labels of rows that were predicted earlier. A row with an id that
/// is known is answered as it was, and not learned again.
class LearnJob : public ReplyJob {
 public:
  LearnJob(LearnRows rows, std::string model_name, http::Reply reply)
      : ReplyJob(std::move(reply)), rows_(std::move(rows)), model_name_(std::move(model_name)) {}

  std::size_t rows() const override { return static_cast<std::size_t>(rows_.y.cols()); }
  std::size_t bytes() const override;

 private:
  void work_on(Workplace& work) override;
  void check_shape(const ServedModel& model) const;
  std::uint64_t fingerprint(Eigen::Index row) const;
  std::string learn_one(Workplace& work, Eigen::Index row);

  LearnRows rows_;
  std::string model_name_;
  LearnOutcome outcome_;
};

}  // namespace splitgp::serve
