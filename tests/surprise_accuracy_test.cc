// Streams that change their regime: what the 95 % intervals hold of the rows after the change.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "splitgp/splitting_gp.h"
#include "support/regime_streams.h"

namespace splitgp::surprise_accuracy_test {
namespace {

using Eigen::Index;
using testing::Change;
using testing::regime_stream;
using testing::RegimeStream;

struct Case {
  Change change;
  Index before;    // rows of the old regime
  double soon;     // least share of the rows 100 to 300 after the change
  double settled;  // and of the rows 300 to 500
};

void PrintTo(const Case& tried, std::ostream* out) {
  *out << testing::name_of(tried.change) << " after " << tried.before;
}

// Predicts every row before it is learned.
class Coverage {
 public:
  Coverage(SplittingGp& model, const RegimeStream& stream) : inside_(stream.X.cols()) {
    for (Index i = 0; i < stream.X.cols(); ++i) {
      const Prediction prediction = model.predict(stream.X.col(i));
      inside_(i) = prediction.level_of(0, 0, stream.Y(0, i)) <= 0.95 ? 1.0 : 0.0;
      model.update(stream.X.col(i), stream.Y.col(i));
    }
  }
  double of(Index first, Index last) const { return inside_.segment(first, last - first).mean(); }

 private:
  Eigen::VectorXd inside_;
};

class RegimeTest : public ::testing::TestWithParam<Case> {};

TEST_P(RegimeTest, IntervalsHoldSoonAfterTheChange) {
  const auto& [change, before, soon, settled] = GetParam();
  Options options;
  options.split_limit = 50;
  options.kernel = KernelFamily::rbf;
  options.training_observations = 300;
  SplittingGp model(testing::RegimeSource::kInputs, 1, options);
  const Coverage coverage(model, regime_stream(change, {before, 500}, 1));
  EXPECT_GE(coverage.of(before + 100, before + 300), soon);
  EXPECT_GE(coverage.of(before + 300, before + 500), settled);
}

INSTANTIATE_TEST_SUITE_P(Streams, RegimeTest,
                         ::testing::Values(Case{Change::start, 1000, 0.8, 0.9},
                                           Case{Change::start, 5000, 0.8, 0.9},
                                           Case{Change::operating_point, 400, 0.8, 0.9},
                                           Case{Change::input_range, 400, 0.8, 0.9},
                                           Case{Change::output_range, 400, 0.8, 0.9},
                                           Case{Change::start_within, 400, 0.8, 0.9}));

// After a start and a stop the machine's idle rows are predicted as well as before.
TEST(Regime, TheOldRegimeIsStillKnown) {
  Options options;
  options.split_limit = 50;
  options.kernel = KernelFamily::rbf;
  options.training_observations = 300;
  SplittingGp model(testing::RegimeSource::kInputs, 1, options);
  const RegimeStream stream = regime_stream(Change::start, {400, 300, 200}, 2);
  model.update_batch(stream.X.leftCols(700), stream.Y.leftCols(700));
  // Not as the next rows: what is known of the last ones, of the active regime, is no help here.
  const Prediction prediction = model.predict(stream.X.rightCols(200), Ahead::kUnknown);
  const Eigen::RowVectorXd error = stream.Y.rightCols(200) - prediction.mean;
  EXPECT_LT(error.norm() / std::sqrt(200.0), 0.05);  // the active regime's noise is 1
}

}  // namespace
}  // namespace splitgp::surprise_accuracy_test
