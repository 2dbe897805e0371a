#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/scores/scores.h"
#include "cli/stream/record.h"
#include "support/random_matrix.h"

namespace splitgp {
namespace {

ScoredRow random_row(testing::Random& random, Eigen::Index outputs) {
  ScoredRow row;
  row.observed = random.normal_matrix(outputs, 1);
  Prediction prediction;
  prediction.mean = 0.1 * random.normal_matrix(outputs, 1);
  prediction.variance = Eigen::MatrixXd::Constant(outputs, 1, 0.75);
  prediction.noise_variance = Eigen::MatrixXd::Constant(outputs, 1, 0.25);
  row.set_prediction(prediction);
  return row;
}

TEST(Scores, MatchTheirDefinitions) {
  Scores scores(1);
  testing::Random random(1);
  double squares = 0.0;
  double recent = 0.0;
  constexpr int kRows = 5000;
  for (int i = 0; i < kRows; ++i) {
    const ScoredRow row = random_row(random, 1);
    scores.add(row, 1);
    const double error = row.observed(0) - row.mean(0);
    squares += error * error;
    if (i >= kRows - 1000) recent += error * error;
  }
  const ScoreLine line = scores.line(1);
  EXPECT_NEAR(line.rmse, std::sqrt(squares / kRows), 1e-12);
  EXPECT_NEAR(line.recent_rmse, std::sqrt(recent / 1000), 1e-12);
  EXPECT_NEAR(line.nlpd, 0.5 * std::log(2.0 * M_PI) + 0.5 * squares / kRows, 1e-12);
  EXPECT_NEAR(line.coverage, 0.95, 0.01);  // three standard errors of 5,000 draws
}

TEST(Scores, LeaveOutRowsBeforeTheFirstTraining) {
  Scores scores(1);
  testing::Random random(1);
  ScoredRow row = random_row(random, 1);
  row.interval_known = false;
  scores.add(row, 1);
  EXPECT_TRUE(std::isnan(scores.line(1).nlpd));
  EXPECT_TRUE(std::isnan(scores.line(1).rmse));
  EXPECT_EQ(scores.unscored(), 1U);
  row.interval_known = true;
  scores.add(row, 1);
  EXPECT_NEAR(scores.line(1).rmse, std::abs(row.observed(0) - row.mean(0)), 1e-12);
  EXPECT_EQ(scores.unscored(), 1U);
}

TEST(Scores, HistoryAndSampleStayBoundedAndCoverTheStream) {
  Scores scores(2);
  testing::Random random(2);
  constexpr std::uint64_t kRows = 20'000;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    scores.add(random_row(random, 2), 1);
    ASSERT_LT(scores.windows().size(), 512u);
    ASSERT_LE(scores.sample().size(), 500u);
  }
  EXPECT_GE(scores.windows().size(), 256u);
  std::uint64_t rows = 0;
  for (const ScoreWindow& window : scores.windows()) {
    rows += window.outputs[0].rows;
    EXPECT_EQ(window.last_row, rows);
    EXPECT_EQ(window.outputs[0].rows, scores.windows()[0].outputs[0].rows);
  }
  std::set<std::uint64_t> sampled;
  double mean = 0.0;
  for (const SampledRow& row : scores.sample()) {
    sampled.insert(row.row);
    mean += static_cast<double>(row.row) / static_cast<double>(scores.sample().size());
  }
  EXPECT_EQ(sampled.size(), 500u);
  // Uniform over the stream: the mean has a standard error of n / √(12·500) = 258.
  EXPECT_NEAR(mean, kRows / 2.0, 1000.0);
}

TEST(Scores, SavingAndLoadingChangesNothing) {
  StreamRecord whole(2);
  StreamRecord parts(2);
  std::map<std::string, std::string> notes;
  testing::Random random(3);
  for (int i = 0; i < 3000; ++i) {
    ScoredRow row = random_row(random, 2);
    row.interval_known = i > 30;
    whole.scores.add(row, i / 100 + 1);
    parts.scores.add(row, i / 100 + 1);
    if (i % 331 != 0) continue;
    parts.table.push_back(parts.scores.line(1));
    whole.table.push_back(whole.scores.line(1));
    parts.save([&notes](const std::string& key, std::string text) { notes[key] = text; });
    parts = StreamRecord::load(2, [&notes](const std::string& key) {
      const auto found = notes.find(key);
      return found == notes.end() ? std::nullopt : std::optional(found->second);
    });
  }
  EXPECT_EQ(parts.scores.totals_json(), whole.scores.totals_json());
  EXPECT_EQ(parts.scores.windows_json(), whole.scores.windows_json());
  EXPECT_EQ(parts.scores.sample_json(), whole.scores.sample_json());
  EXPECT_EQ(parts.table.size(), whole.table.size());
  EXPECT_TRUE(std::isnan(parts.table.front().nlpd));
}

}  // namespace
}  // namespace splitgp
