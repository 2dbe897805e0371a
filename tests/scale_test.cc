#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <string>
#include <utility>

#include "splitgp/error.h"
#include "splitgp/model_file.h"
#include "splitgp/router.h"
#include "splitgp/splitting_gp.h"
#include "support/fixed_theta.h"
#include "support/same_model.h"
#include "support/sanitized.h"
#include "support/shards.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp::scale_test {

using testing::expect_same_prediction;
using testing::kSanitized;
using testing::Random;
using testing::Shards;
using testing::smooth_stream;
using testing::Stream;
using testing::TemporaryDirectory;

SplittingGp one_machine(const Stream& stream, const Options& options) {
  SplittingGp model(stream.X.rows(), stream.Y.rows(), options);
  model.update_batch(stream.X, stream.Y);
  return model;
}

// The file of a sharded model, read as one machine would.
SplittingGp read_back(Shards& shards, const std::filesystem::path& path) {
  shards.router.checkpoint();
  shards.router.save(path);
  return load(path).model;
}

// The same model, bit for bit but for the factors, whose rounding depends on how they grew.
void expect_same(Shards& shards, const SplittingGp& expected, const Eigen::MatrixXd& queries) {
  const TemporaryDirectory directory;
  const SplittingGp stored = read_back(shards, directory / "copy.splitgp");
  testing::expect_same_model(expected, stored);
  expect_same_prediction(expected.predict(queries), shards.predict(queries));
}

// A sanitizer takes ten times as long, most of it in Train.
Options affordable(Options options) {
  if (!kSanitized) return options;
  options.kernel = KernelFamily::rbf;
  options.training_observations = 150;
  return options;
}

struct Case {
  std::string name;
  Options options;
  Eigen::Index inputs = 2;
  Eigen::Index outputs = 1;
  Eigen::Index rows = 1200;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"trained", {}, 2, 1, 1000});
  all.back().options.split_limit = 20;
  // A new θ reaches second children that go to another shard at once.
  all.push_back({"small_cells", {}, 2, 1, 256});
  all.back().options.split_limit = 20;
  all.back().options.capacity = 60;
  all.push_back({"two_outputs", {}, 3, 2, 500});
  all.back().options.capacity = 60;
  all.push_back({"fixed_theta", testing::fixed_theta(), 3, 1, 1500});
  all.back().options.capacity = 60;
  all.back().options.split_limit = kAutomatic;
  all.push_back({"conformal", testing::fixed_theta(), 2, 1, 800});
  all.back().options.calibration = Calibration::conformal;
  all.push_back({"uncalibrated", testing::fixed_theta(), 2, 1, 800});
  all.back().options.calibration = Calibration::none;
  all.push_back({"paper", Options::paper(), 2, 1, 400});
  all.back().options.split_limit = 25;
  all.push_back({"oja", testing::fixed_theta(), 2, 1, 800});
  all.back().options.comparison.principal_direction = PrincipalDirection::oja;
  // Train looks at whole local GPs, of which the router knows only what they own.
  all.push_back({"large", {}, 2, 1, 900});
  all.back().options.capacity = 420;
  for (Case& one : all) one.options = affordable(one.options);
  return all;
}

class Scale : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  Case what() const { return cases()[std::get<0>(GetParam())]; }
  std::size_t n_shards() const { return std::get<1>(GetParam()); }
};

TEST_P(Scale, SameModelAsOnOneMachine) {
  const Case given = what();
  const Eigen::Index rows = kSanitized ? given.rows / 3 : given.rows;
  const Stream stream = smooth_stream(5, given.inputs, given.outputs, rows);
  const SplittingGp expected = one_machine(stream, given.options);
  const TemporaryDirectory directory;
  Shards shards(Router::create(directory / "m.splitgp", given.inputs, given.outputs, given.options,
                               n_shards()),
                n_shards());
  // In pieces, some with a checkpoint in between, so that nothing depends on how rows come.
  const Eigen::Index piece = rows / 3;
  for (Eigen::Index i = 0; i < rows; i += piece) {
    const Eigen::Index n = std::min(piece, rows - i);
    shards.learn(stream.X.middleCols(i, n), stream.Y.middleCols(i, n), i == 0 ? 7 : 256);
    if (i == piece) shards.router.checkpoint();
  }
  EXPECT_EQ(shards.router.n_observations(), static_cast<std::uint64_t>(rows));
  expect_same(shards, expected, smooth_stream(6, given.inputs, 1, 100).X);
  if (n_shards() > 1 && expected.n_local() >= 8) {
    EXPECT_GT(shards.router.counts().moves, 0u);
    for (const Shard& shard : shards.shards()) EXPECT_GT(shard.n_local(), 0u);
  }
}

std::vector<std::size_t> shard_counts() {
  return kSanitized ? std::vector<std::size_t>{3} : std::vector<std::size_t>{1, 2, 4};
}

std::string name_of(const ::testing::TestParamInfo<Scale::ParamType>& info) {
  return cases()[std::get<0>(info.param)].name + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Options, Scale,
                         ::testing::Combine(::testing::Range(std::size_t{0}, cases().size()),
                                            ::testing::ValuesIn(shard_counts())),
                         name_of);

Options small() {
  Options options;
  options.split_limit = 20;
  return affordable(options);
}

TEST(ScaleFile, OneMachineContinuesWhatShardsBeganAndTheOtherWayRound) {
  const Stream stream = smooth_stream(7, 2, 1, 600);
  const SplittingGp expected = one_machine(stream, small());
  const TemporaryDirectory directory;
  const auto path = directory / "m.splitgp";
  {
    Shards shards(Router::create(path, 2, 1, small(), 3), 1);
    shards.learn(stream.X.leftCols(200), stream.Y.leftCols(200), 64);
    shards.router.checkpoint({{"source", 200}});
  }
  {
    ModelFile file = ModelFile::open(path);
    EXPECT_EQ(file.position("source").rows, 200u);
    for (Eigen::Index i = 200; i < 400; ++i) file.model().update(stream.X.col(i), stream.Y.col(i));
    file.checkpoint();
  }
  Shards shards(Router::open(path, 5), 2);
  shards.learn(stream.X.rightCols(200), stream.Y.rightCols(200), 64);
  expect_same(shards, expected, smooth_stream(8, 2, 1, 100).X);
}

TEST(ScaleFaults, ShardsThatDieTakeNothingAlong) {
  const Eigen::Index rows = kSanitized ? 300 : 900;
  const Stream stream = smooth_stream(9, 2, 1, rows);
  const SplittingGp expected = one_machine(stream, small());
  const TemporaryDirectory directory;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Shards shards(Router::create(directory / ("m" + std::to_string(seed)), 2, 1, small(), 4), seed);
    shards.faults = 0.05;
    const Eigen::Index piece = rows / 6;
    for (Eigen::Index i = 0; i < rows; i += piece) {
      shards.learn(stream.X.middleCols(i, piece), stream.Y.middleCols(i, piece), 32);
      if (i == 2 * piece) shards.router.checkpoint();
    }
    EXPECT_GE(shards.kills, 2);
    shards.faults = 0.0;
    shards.kill(1);
    expect_same(shards, expected, smooth_stream(8, 2, 1, 100).X);
  }
}

TEST(ScaleFaults, ARouterThatDiesComesBackFromItsFile) {
  const Stream stream = smooth_stream(10, 2, 1, 500);
  const SplittingGp expected = one_machine(stream, small());
  const TemporaryDirectory directory;
  const auto path = directory / "m.splitgp";
  {
    Shards lost(Router::create(path, 2, 1, small(), 3), 1);
    lost.learn(stream.X.leftCols(300), stream.Y.leftCols(300), 64);
    lost.router.checkpoint();
    lost.learn(stream.X.middleCols(300, 50), stream.Y.middleCols(300, 50), 64);
  }
  Shards shards(Router::open(path, 3), 2);
  const auto done = static_cast<Eigen::Index>(shards.router.n_observations());
  EXPECT_EQ(done, 300);
  shards.learn(stream.X.rightCols(500 - done), stream.Y.rightCols(500 - done), 64);
  expect_same(shards, expected, smooth_stream(8, 2, 1, 100).X);
}

TEST(ScaleFaults, AShardKnowsAMessageOfAnotherRouter) {
  const Stream stream = smooth_stream(10, 2, 1, 100);
  const TemporaryDirectory directory;
  Router router = Router::create(directory / "m.splitgp", 2, 1, small(), 1);
  Shard shard;
  const std::vector<Parcel> first = router.start();
  shard.begin(first[0].epoch, first[0].number, *first[0].message);
  router.learn(stream.X, stream.Y);
  const std::vector<Parcel> second = router.route(1);
  const std::vector<Parcel> again = router.reload(0);  // a later epoch
  ASSERT_EQ(again.size(), 2u);
  shard.begin(again[0].epoch, again[0].number, *again[0].message);
  shard.apply(second[0].epoch, second[0].number, *second[0].message);
  EXPECT_EQ(shard.n_local(), 0u);  // it was not done
  const auto reply = shard.apply(again[1].epoch, again[1].number, *again[1].message);
  EXPECT_EQ(shard.n_local(), 1u);
  EXPECT_TRUE(router.receive(0, again[1].epoch, again[1].number, reply));
  EXPECT_EQ(router.n_observations(), 1u);
}

// Messages are delivered again until they are answered; the shard has only its last reply.
TEST(ScaleFaults, AReplyThatIsLostIsNotWaitedForForever) {
  const Stream stream = smooth_stream(10, 2, 1, 30);
  Options options = testing::fixed_theta();
  const TemporaryDirectory directory;
  Router router = Router::create(directory / "m.splitgp", 2, 1, options, 1);
  Shard shard;
  const std::vector<Parcel> first = router.start();
  shard.begin(first[0].epoch, first[0].number, *first[0].message);
  router.learn(stream.X, stream.Y);
  std::vector<Parcel> sent;
  while (sent.size() < 3) sent.push_back(router.route(10).at(0));
  for (const Parcel& parcel : sent) shard.apply(parcel.epoch, parcel.number, *parcel.message);
  const auto reply = shard.apply(sent[0].epoch, sent[0].number, *sent[0].message);
  EXPECT_FALSE(router.receive(0, sent[0].epoch, sent[0].number, reply));
  for (const Parcel& parcel : router.reload(0)) {
    if (parcel.begins) {
      shard.begin(parcel.epoch, parcel.number, *parcel.message);
    } else {
      const auto again = shard.apply(parcel.epoch, parcel.number, *parcel.message);
      EXPECT_TRUE(router.receive(0, parcel.epoch, parcel.number, again));
    }
  }
  EXPECT_TRUE(router.idle());
  EXPECT_EQ(router.n_observations(), 30u);
}

TEST(Scale, AShardThatIsAddedTakesOverItsShare) {
  const Stream stream = smooth_stream(11, 2, 1, 800);
  Options options = testing::fixed_theta();
  options.split_limit = 10;
  const SplittingGp expected = one_machine(stream, options);
  const TemporaryDirectory directory;
  Shards shards(Router::create(directory / "m.splitgp", 2, 1, options, 2), 1);
  shards.learn(stream.X.leftCols(500), stream.Y.leftCols(500), 64);
  shards.add_shard(64);
  const auto local_gps = static_cast<std::size_t>(shards.router.n_local());
  EXPECT_EQ(shards.shards().back().n_local(), local_gps / 3);
  shards.kill(2);
  shards.learn(stream.X.rightCols(300), stream.Y.rightCols(300), 64);
  expect_same(shards, expected, smooth_stream(8, 2, 1, 100).X);
}

TEST(Scale, RowsArePredictedBeforeTheyAreLearned) {
  const Eigen::Index rows = kSanitized ? 200 : 500;
  const Stream stream = smooth_stream(12, 2, 1, rows);
  SplittingGp model(2, 1, small());
  Prediction all;
  for (Matrix* part : {&all.mean, &all.variance, &all.noise_variance, &all.degrees_of_freedom})
    part->resize(1, rows);
  Prediction one;
  for (Eigen::Index i = 0; i < rows; ++i) {
    model.predict_then_update(stream.X.col(i), stream.Y.col(i), one);
    all.mean.col(i) = one.mean;
    all.variance.col(i) = one.variance;
    all.noise_variance.col(i) = one.noise_variance;
    all.degrees_of_freedom.col(i) = one.degrees_of_freedom;
  }
  const TemporaryDirectory directory;
  Shards shards(Router::create(directory / "m.splitgp", 2, 1, small(), 3), 1);
  shards.learn(stream.X, stream.Y, 64, true);
  const Prediction before = shards.router.take_predictions();
  expect_same_prediction(all, before);
  EXPECT_LE((all.degrees_of_freedom.array().inverse() - before.degrees_of_freedom.array().inverse())
                .abs()
                .maxCoeff(),
            1e-9);
  expect_same(shards, model, smooth_stream(8, 2, 1, 100).X);
}

// θ is wrong by far half-way, which no schedule foresees.
TEST(Scale, ASurpriseTrainsAtTheSameRow) {
  const Eigen::Index rows = kSanitized ? 260 : 900;
  Stream stream = smooth_stream(13, 2, 1, rows);
  stream.Y.rightCols(kSanitized ? 100 : 500) *= 100.0;
  const Options options = small();
  const SplittingGp expected = one_machine(stream, options);
  const auto& history = expected.training_history();
  ASSERT_TRUE(std::any_of(history.begin(), history.end(),
                          [](const TrainResult& result) { return result.surprised; }));
  const TemporaryDirectory directory;
  Shards shards(Router::create(directory / "m.splitgp", 2, 1, options, 3), 1);
  shards.learn(stream.X, stream.Y, 256);
  expect_same(shards, expected, smooth_stream(8, 2, 1, 100).X);
}

// So few that a single local GP is enough, with what it borrows, which only its shard knows.
TEST(Scale, TrainsOnTheSameFewObservations) {
  const Stream stream = smooth_stream(13, 2, 1, 200);
  Options options = small();
  options.training_observations = 60;
  const TemporaryDirectory directory;
  Shards shards(Router::create(directory / "m.splitgp", 2, 1, options, 3), 1);
  shards.learn(stream.X, stream.Y, 256);
  expect_same(shards, one_machine(stream, options), smooth_stream(8, 2, 1, 100).X);
}

TEST(Scale, MemoryIsSharedEqually) {
  const Stream stream = smooth_stream(14, 3, 1, 2500);
  Options options = testing::fixed_theta();
  options.capacity = 40;
  options.split_limit = 10;
  const TemporaryDirectory directory;
  Shards shards(Router::create(directory / "m.splitgp", 3, 1, options, 4), 1);
  shards.learn(stream.X, stream.Y, 256);
  std::size_t all = 0;
  for (const Shard& shard : shards.shards()) all += shard.memory_bytes();
  for (const Shard& shard : shards.shards())
    EXPECT_NEAR(static_cast<double>(shard.memory_bytes()) / static_cast<double>(all), 0.25, 0.025);
}

TEST(ScaleErrors, OptionsThatCannotBeKeptAreNamed) {
  const TemporaryDirectory directory;
  const auto path = directory / "m.splitgp";
  const auto message = [&](auto change) -> std::string {
    Options options;
    change(options);
    try {
      Router::create(path, 2, 1, options, 2);
    } catch (const InvalidArgument& error) {
      EXPECT_FALSE(std::filesystem::exists(path));
      return error.what();
    }
    return "";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message([](Options& o) { o.training = Training::background; }),
              HasSubstr("training is background"));
  EXPECT_THAT(message([](Options& o) { o.outliers = Outliers::reject; }),
              HasSubstr("outliers is reject"));
  EXPECT_THAT(message([](Options& o) { o.on_drift = OnDrift::forget; }),
              HasSubstr("on_drift is forget"));
  EXPECT_THAT(message([](Options& o) { o.window_size = 100; }), HasSubstr("window_size is 100"));
  EXPECT_THAT(message([](Options& o) { o.max_observations = 100; }),
              HasSubstr("max_observations is 100"));
  EXPECT_THAT(message([](Options& o) { o.max_age = 5.0; }), HasSubstr("max_age is 5"));
  EXPECT_THROW(Router::create(path, 2, 1, {}, 0), InvalidArgument);
}

TEST(ScaleErrors, ABadRowChangesNothing) {
  const TemporaryDirectory directory;
  Shards shards(Router::create(directory / "m.splitgp", 2, 1, small(), 2), 1);
  Stream stream = smooth_stream(15, 2, 1, 10);
  shards.learn(stream.X, stream.Y, 64);
  stream.X(1, 7) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(shards.router.learn(stream.X, stream.Y), InvalidArgument);
  EXPECT_TRUE(shards.router.idle());
  EXPECT_EQ(shards.router.n_observations(), 10u);
  EXPECT_THROW(shards.predict(stream.X), InvalidArgument);
}

TEST(ScaleErrors, AFileThatHasForgottenIsRefused) {
  const TemporaryDirectory directory;
  const auto path = directory / "m.splitgp";
  const Stream stream = smooth_stream(16, 2, 1, 50);
  SplittingGp model = one_machine(stream, testing::fixed_theta());
  model.forget_before(10);
  ModelFile::create(path, std::move(model));
  EXPECT_THROW(Router::open(path, 2), InvalidArgument);
}

}  // namespace splitgp::scale_test
