#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "charts/interval_level.h"
#include "splitgp/results.h"

namespace splitgp {

/// The prediction and the observed value of each output. The standard deviation is that of an
/// observation, noise included.
struct ScoredRow {
  Eigen::VectorXd observed;
  Eigen::VectorXd mean;
  Eigen::VectorXd standard_deviation;
  Eigen::VectorXd half_width;   ///< Of the 95 % interval.
  Eigen::VectorXd log_density;  ///< Of what was observed.
  Eigen::VectorXd level;        ///< Of the smallest interval that holds what was observed.

  /// Everything from the prediction's first column, given `observed`, which is NaN if it is not
  /// known.
  void set_prediction(const Prediction& prediction);

  /// Before the first training the model does not know the scale of the data. There is nothing to
  /// score then, neither answers nor intervals.
  bool interval_known = true;
};

/// Errors of one output, summed over rows.
struct OutputScore {
  std::uint64_t rows = 0;
  double squared_error = 0.0;
  std::uint64_t interval_rows = 0;  ///< Those with interval_known; all sums are over them.
  double nlpd = 0.0;                ///< Summed negative log predictive density of those.
  std::uint64_t covered = 0;        ///< Of those, inside the 95 % interval.

  void add(const ScoredRow& row, Eigen::Index output);
  void add(const OutputScore& other);
  double rmse() const;  ///< NaN without interval_rows; so are the others.
  double mean_nlpd() const;
  double coverage() const;
};

/// One line of the table. With several outputs, averages over them, after dividing each output by
/// its standard deviation so that units do not matter.
struct ScoreLine {
  std::uint64_t rows = 0;
  double rmse = 0.0;
  double recent_rmse = 0.0;
  double nlpd = 0.0;
  double coverage = 0.0;
  std::int64_t local_gps = 0;
  double rows_per_second = 0.0;  ///< Since the previous line.
};

/// A stretch of the stream.
struct ScoreWindow {
  std::uint64_t last_row = 0;  ///< Of the rows scored, from 1.
  std::int64_t local_gps = 0;
  std::vector<OutputScore> outputs;
};

struct SampledRow {
  std::uint64_t row = 0;
  std::vector<double> observed, mean, standard_deviation, half_width, level;
};

/// How well each row was predicted before it was learned: totals, the recent past, a history and a
/// sample, all bounded however long the stream is. The same rows give the same scores, whether or
/// not they were saved and loaded in between.
class Scores {
 public:
  explicit Scores(Eigen::Index outputs);

  void add(const ScoredRow& row, std::int64_t local_gps);

  std::uint64_t rows() const { return rows_; }
  /// Rows that were answered when the model did not know the scale of the data yet.
  std::uint64_t unscored() const { return rows_ - totals_.front().interval_rows; }
  /// At 1, 2, 4, 8, … rows the table gets a line.
  bool at_power_of_two() const { return rows_ != 0 && (rows_ & (rows_ - 1)) == 0; }
  ScoreLine line(std::int64_t local_gps) const;
  const std::vector<OutputScore>& outputs() const { return totals_; }
  /// Standard deviation of the observed values.
  double spread(Eigen::Index output) const;
  double recent_rmse(Eigen::Index output) const;

  const std::vector<ScoreWindow>& windows() const { return windows_; }  ///< Fewer than 512.
  const std::vector<SampledRow>& sample() const { return sample_; }     ///< At most 1,000, uniform.

  /// Totals and the recent past. The history and the sample are separate, because they are larger
  /// and change ever less often.
  nlohmann::json totals_json() const;
  nlohmann::json windows_json() const;
  nlohmann::json sample_json() const;
  void load(const nlohmann::json& totals, const nlohmann::json& windows,
            const nlohmann::json& sample);
  /// Incremented when windows_json() or sample_json() changes.
  std::uint64_t windows_version() const { return windows_version_; }
  std::uint64_t sample_version() const { return sample_version_; }

 private:
  void add_to_windows(const std::vector<OutputScore>& row, std::int64_t local_gps);
  void add_to_sample(const ScoredRow& row);

  Eigen::Index n_outputs_;
  std::uint64_t rows_ = 0;
  std::vector<OutputScore> totals_;
  Eigen::VectorXd observed_mean_;  // Welford
  Eigen::VectorXd observed_squares_;
  std::deque<std::vector<OutputScore>> recent_;  // the last one is being filled
  std::uint64_t window_width_ = 1;
  std::vector<ScoreWindow> windows_;
  ScoreWindow open_window_;
  std::vector<SampledRow> sample_;
  std::uint64_t windows_version_ = 0;
  std::uint64_t sample_version_ = 0;
};

}  // namespace splitgp
