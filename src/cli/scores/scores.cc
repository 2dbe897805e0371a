#include "cli/scores/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace splitgp {

using Eigen::Index;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// The recent past is the last 1,000 rows, rounded to whole parts.
constexpr std::size_t kRecentParts = 20;
constexpr std::uint64_t kRowsInPart = 50;

constexpr std::size_t kWindows = 512;
constexpr std::uint64_t kSampledRows = 1000;

// A random number that depends only on the row, so that no state has to be saved (splitmix64).
std::uint64_t random_of(std::uint64_t row) {
  std::uint64_t z = (row + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::vector<double> copied(const Eigen::VectorXd& values) { return {values.begin(), values.end()}; }

double ratio(double sum, std::uint64_t rows) {
  return rows == 0 ? kNothing : sum / static_cast<double>(rows);
}

void add_each(std::vector<OutputScore>& to, const std::vector<OutputScore>& from) {
  for (std::size_t o = 0; o < to.size(); ++o) to[o].add(from[o]);
}

}  // namespace

void ScoredRow::set_prediction(const Prediction& prediction) {
  mean = prediction.mean.col(0);
  standard_deviation = (prediction.variance.col(0) + prediction.noise_variance.col(0)).cwiseSqrt();
  half_width.resize(mean.size());
  log_density.resize(mean.size());
  level.resize(mean.size());
  for (Index o = 0; o < mean.size(); ++o) {
    half_width(o) = standard_deviation(o) * prediction.half_width(o, 0, kIntervalLevel);
    log_density(o) = prediction.log_density(o, 0, observed(o));
    level(o) = prediction.level_of(o, 0, observed(o));
  }
}

void OutputScore::add(const ScoredRow& row, Index output) {
  const double error = row.observed(output) - row.mean(output);
  ++rows;
  if (!row.interval_known) return;
  ++interval_rows;
  squared_error += error * error;
  nlpd -= row.log_density(output);
  if (std::abs(error) <= row.half_width(output)) ++covered;
}

void OutputScore::add(const OutputScore& other) {
  rows += other.rows;
  squared_error += other.squared_error;
  interval_rows += other.interval_rows;
  nlpd += other.nlpd;
  covered += other.covered;
}

double OutputScore::rmse() const { return std::sqrt(ratio(squared_error, interval_rows)); }
double OutputScore::mean_nlpd() const { return ratio(nlpd, interval_rows); }
double OutputScore::coverage() const { return ratio(static_cast<double>(covered), interval_rows); }

Scores::Scores(Index outputs)
    : n_outputs_(outputs),
      totals_(static_cast<std::size_t>(outputs)),
      observed_mean_(Eigen::VectorXd::Zero(outputs)),
      observed_squares_(Eigen::VectorXd::Zero(outputs)) {
  open_window_.outputs.resize(totals_.size());
}

void Scores::add(const ScoredRow& row, std::int64_t local_gps) {
  ++rows_;
  std::vector<OutputScore> scores(totals_.size());
  for (Index o = 0; o < n_outputs_; ++o) {
    scores[static_cast<std::size_t>(o)].add(row, o);
  }
  const Eigen::VectorXd before = row.observed - observed_mean_;
  observed_mean_ += before / static_cast<double>(rows_);
  observed_squares_.array() += before.array() * (row.observed - observed_mean_).array();

  add_each(totals_, scores);
  if (recent_.empty() || recent_.back().front().rows == kRowsInPart) {
    recent_.emplace_back(totals_.size());
    if (recent_.size() > kRecentParts) recent_.pop_front();
  }
  add_each(recent_.back(), scores);
  add_to_windows(scores, local_gps);
  if (row.interval_known) add_to_sample(row);
}

// When there are too many windows, neighbours are merged, so that they stay evenly spaced and fewer
// than kWindows.
void Scores::add_to_windows(const std::vector<OutputScore>& row, std::int64_t local_gps) {
  add_each(open_window_.outputs, row);
  open_window_.last_row = rows_;
  open_window_.local_gps = local_gps;
  if (open_window_.outputs.front().rows < window_width_) return;
  windows_.push_back(open_window_);
  open_window_.outputs.assign(totals_.size(), OutputScore{});
  ++windows_version_;
  if (windows_.size() < kWindows) return;
  for (std::size_t i = 0; i < kWindows / 2; ++i) {
    ScoreWindow merged = std::move(windows_[2 * i + 1]);
    add_each(merged.outputs, windows_[2 * i].outputs);
    windows_[i] = std::move(merged);
  }
  windows_.resize(kWindows / 2);
  window_width_ *= 2;
}

// Vitter's algorithm R: every row that was scored is in the sample with the same probability.
void Scores::add_to_sample(const ScoredRow& row) {
  const std::uint64_t most = std::max<std::uint64_t>(kSampledRows / totals_.size(), 100);
  std::uint64_t place = sample_.size();
  if (place == most) {
    place = random_of(rows_) % totals_.front().interval_rows;
    if (place >= most) return;
  } else {
    sample_.emplace_back();
  }
  sample_[place] = {rows_,
                    copied(row.observed),
                    copied(row.mean),
                    copied(row.standard_deviation),
                    copied(row.half_width),
                    copied(row.level)};
  ++sample_version_;
}

double Scores::spread(Index output) const {
  if (rows_ < 2) return 0.0;
  return std::sqrt(observed_squares_(output) / static_cast<double>(rows_));
}

double Scores::recent_rmse(Index output) const {
  OutputScore sum;
  for (const std::vector<OutputScore>& part : recent_) {
    sum.add(part[static_cast<std::size_t>(output)]);
  }
  return sum.rmse();
}

ScoreLine Scores::line(std::int64_t local_gps) const {
  ScoreLine line;
  line.rows = rows_;
  line.local_gps = local_gps;
  for (Index o = 0; o < n_outputs_; ++o) {
    const OutputScore& total = totals_[static_cast<std::size_t>(o)];
    // A single output keeps its units, and a constant one has no spread to divide by.
    const double unit = n_outputs_ > 1 && spread(o) > 0.0 ? spread(o) : 1.0;
    const double share = 1.0 / static_cast<double>(n_outputs_);
    line.rmse += share * total.rmse() / unit;
    line.recent_rmse += share * recent_rmse(o) / unit;
    line.nlpd += share * (total.mean_nlpd() - std::log(unit));
    line.coverage += share * total.coverage();
  }
  return line;
}

}  // namespace splitgp
