// What tying length scales saves.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "support/random_matrix.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Two numbers and a code of 24 columns, as the recipe for tables makes them.
TEST(LengthScaleGroups, MakeTrainingFaster) {
  constexpr Index kInputs = 26, kRows = 1200, kLevels = 12;
  testing::Random random(8);
  const MatrixXd codes = random.normal_matrix(kInputs - 2, kLevels);
  MatrixXd X = random.normal_matrix(kInputs, kRows), Y(1, kRows);
  for (Index i = 0; i < kRows; ++i) {
    const Index level = i % kLevels;
    X.col(i).tail(kInputs - 2) = codes.col(level);
    Y(0, i) = std::sin(X(0, i)) + 0.5 * X(1, i) + codes(0, level) + 0.1 * random.normal();
  }
  // Processor time of the same three trainings, so that neither the schedule nor another process
  // counts.
  const auto seconds = [&](std::vector<int> groups) {
    Options options;
    options.training = Training::off;
    options.length_scale_groups = std::move(groups);
    SplittingGp model(kInputs, 1, options);
    std::clock_t spent = 0;
    for (Index from = 0; from < kRows; from += kRows / 3) {
      model.update_batch(X.middleCols(from, kRows / 3), Y.middleCols(from, kRows / 3));
      const std::clock_t began = std::clock();
      model.train();
      spent += std::clock() - began;
    }
    return static_cast<double>(spent) / CLOCKS_PER_SEC;
  };
  std::vector<int> tied(kInputs, 2);
  tied[0] = 0;
  tied[1] = 1;
  const double together = seconds(tied), apart = seconds({});
  RecordProperty("seconds_tied", std::to_string(together));
  RecordProperty("seconds_apart", std::to_string(apart));
  EXPECT_LT(together, 0.9 * apart);  // measured: 0.66 to 0.70
}

}  // namespace
}  // namespace splitgp
