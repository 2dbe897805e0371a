#include "splitgp/model_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/api/internals.h"
#include "support/fixed_theta.h"
#include "support/invariants.h"
#include "support/same_model.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using testing::expect_same_model;
using testing::expect_same_predictions;
using testing::smooth_stream;
using testing::Stream;
using testing::TemporaryDirectory;

struct Case {
  std::string name;
  Eigen::Index outputs = 1;
  Options options;
  bool own_noise = false;
};

Options small() {
  Options options;
  options.split_limit = 12;
  options.training_observations = 60;
  return options;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"Defaults", 1, small()});
  all.push_back({"ThreeOutputsOwnNoise", 3, small(), true});
  all.push_back({"Oja", 1, small()});
  all.back().options.comparison.principal_direction = PrincipalDirection::oja;
  all.push_back({"Paper", 1, Options::paper()});
  all.back().options.split_limit = 12;
  all.back().options.training_observations = 60;
  all.push_back({"TrainingOff", 2, testing::fixed_theta(small())});
  all.back().options.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(3, 0.7);
  return all;
}

class ModelFileCases : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr Eigen::Index kInputs = 3;

  SplittingGp new_model() const {
    return SplittingGp(kInputs, GetParam().outputs, GetParam().options);
  }
  double noise(Eigen::Index i) const {
    return GetParam().own_noise ? 0.01 * static_cast<double>(i % 3) : 0.0;
  }
  void learn(SplittingGp& model, Eigen::Index from, Eigen::Index to) const {
    for (Eigen::Index i = from; i < to; ++i) {
      model.update(stream_.X.col(i), stream_.Y.col(i), noise(i));
    }
  }

  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "model.splitgp";
  Stream stream_ = smooth_stream(1, kInputs, GetParam().outputs, 220);
  Eigen::MatrixXd queries_ = smooth_stream(2, kInputs, 1, 40).X;
};

TEST_P(ModelFileCases, HoldsWhatWasLearnedBeforeItWasMade) {
  SplittingGp model = new_model();
  learn(model, 0, 150);
  ModelFile::create(path_, model);
  const ModelFile file = ModelFile::open(path_);
  expect_same_model(model, file.model());
  expect_same_predictions(model, file.model(), queries_);
  EXPECT_EQ(testing::Invariants::violated(file.model()), "");
}

// Every few observations, so that some checkpoints come right after a change of θ, when most local
// GPs still have the old one.
TEST_P(ModelFileCases, ResumedStreamGivesTheUninterruptedModel) {
  SplittingGp model = new_model();
  learn(model, 0, 40);
  ModelFile::create(path_, model);
  bool stale = false;
  for (Eigen::Index from = 40; from < 220; from += 13) {
    const Eigen::Index to = std::min<Eigen::Index>(from + 13, 220);
    ModelFile file = ModelFile::open(path_);
    expect_same_model(model, file.model());
    expect_same_predictions(model, file.model(), queries_);
    learn(model, from, to);
    learn(file.model(), from, to);
    for (const LocalGp& local : Internals::of(model).partition.local_gps) {
      stale = stale || local.theta().version != model.theta_version();
    }
    file.checkpoint({{"stream", static_cast<std::uint64_t>(to)}});
    EXPECT_EQ(file.position("stream").rows, static_cast<std::uint64_t>(to));
  }
  EXPECT_EQ(stale, GetParam().options.training != Training::off);
  const LoadedModel loaded = load(path_);
  expect_same_model(model, loaded.model);
  expect_same_predictions(model, loaded.model, queries_);
  EXPECT_GT(loaded.model.n_local(), 10);
  EXPECT_EQ(loaded.positions.at("stream"), 220u);
}

INSTANTIATE_TEST_SUITE_P(All, ModelFileCases, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

class ModelFileTest : public ::testing::Test {
 protected:
  SplittingGp learned(Eigen::Index n) const {
    SplittingGp model(2, 1, testing::fixed_theta(small()));
    model.update_batch(stream_.X.leftCols(n), stream_.Y.leftCols(n));
    return model;
  }

  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "model.splitgp";
  Stream stream_ = smooth_stream(3, 2, 1, 200);
};

TEST_F(ModelFileTest, IsOneFileWhenClosed) {
  {
    ModelFile file = ModelFile::create(path_, learned(30));
    file.model().update(stream_.X.col(30), stream_.Y.col(30));
    file.checkpoint();
  }
  { ModelFile::open(path_); }
  { load(path_); }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    files.push_back(entry.path());
  }
  EXPECT_EQ(files, std::vector{path_});
}

TEST_F(ModelFileTest, AnEmptyModelCanBeStored) {
  ModelFile::create(path_, SplittingGp(2, 1, small()));
  ModelFile file = ModelFile::open(path_);
  EXPECT_EQ(file.model().n_observations(), 0u);
  file.model().update(stream_.X.col(0), stream_.Y.col(0));
  file.checkpoint();
  EXPECT_EQ(load(path_).model.n_observations(), 1u);
}

TEST_F(ModelFileTest, DropsWhatWasNotCheckpointed) {
  {
    ModelFile file = ModelFile::create(path_, learned(30));
    file.model().update(stream_.X.col(30), stream_.Y.col(30));
    file.set_note("note", "not written");
  }
  const LoadedModel loaded = load(path_);
  EXPECT_EQ(loaded.model.n_observations(), 30u);
  EXPECT_FALSE(loaded.notes.contains("note"));
}

TEST_F(ModelFileTest, KeepsNamesNotesAndPositions) {
  const std::string odd("tab\t, quote ' \" and a \0 byte, ä", 31);
  {
    ModelFileOptions options;
    options.input_names = {"wind speed", "x\"y"};
    options.output_names = {"power"};
    ModelFile file = ModelFile::create(path_, learned(30), options);
    file.set_note("first", odd);
    file.set_note("empty", "");
    file.checkpoint({{"a.csv", 10}, {"b.csv", 20}});
    file.set_note("first", odd + "!");
    file.checkpoint({{"b.csv", 25}});
    EXPECT_EQ(file.note("first"), odd + "!");
  }
  const ModelFile file = ModelFile::open(path_);
  EXPECT_EQ(file.input_names(), (std::vector<std::string>{"wind speed", "x\"y"}));
  EXPECT_EQ(file.output_names(), std::vector<std::string>{"power"});
  EXPECT_EQ(file.note("first"), odd + "!");
  EXPECT_EQ(file.note("empty"), "");
  EXPECT_EQ(file.note("other"), std::nullopt);
  EXPECT_EQ(file.position("a.csv").rows, 10u);
  EXPECT_EQ(file.position("b.csv").rows, 25u);
  EXPECT_EQ(file.position("c.csv").rows, 0u);
}

TEST_F(ModelFileTest, TrainingAndRefittingBetweenCheckpointsAreKept) {
  SplittingGp model = learned(150);
  ModelFile file = ModelFile::create(path_, model);
  const auto change = [](SplittingGp& one) {
    one.train();
    one.refit(3);  // the rest stays behind
    Hyperparameters theta = one.hyperparameters();
    theta.noise_variance *= 2.0;
    one.set_hyperparameters(theta);
    one.refit(2);
  };
  change(model);
  change(file.model());
  file.checkpoint();
  expect_same_model(model, load(path_).model);
  model.refit(1000);
  file.model().refit(1000);
  file.checkpoint();
  expect_same_model(model, load(path_).model);
}

TEST_F(ModelFileTest, InMemoryItIsTheSameWithoutAFile) {
  ModelFile memory = ModelFile::in_memory(learned(30));
  ModelFile file = ModelFile::create(path_, learned(30));
  for (ModelFile* one : {&memory, &file}) {
    for (Eigen::Index i = 30; i < 60; ++i) one->model().update(stream_.X.col(i), stream_.Y.col(i));
    one->set_note("note", "text");
    EXPECT_EQ(one->position("rows").rows, 0u);
    one->checkpoint({{"rows", 60}});
    EXPECT_EQ(one->position("rows").rows, 60u);
    EXPECT_EQ(one->note("note"), "text");
  }
  expect_same_model(memory.model(), file.model());
}

TEST_F(ModelFileTest, ReadersSeeTheLastCheckpointBesideAWriter) {
  ModelFile writer = ModelFile::create(path_, learned(30));
  for (Eigen::Index i = 30; i < 60; ++i) {
    writer.model().update(stream_.X.col(i), stream_.Y.col(i));
    EXPECT_EQ(load(path_).model.n_observations(), static_cast<std::uint64_t>(i));
    writer.checkpoint();
  }
}

TEST_F(ModelFileTest, SeedsAboveTheSignedRangeSurvive) {
  Options options = small();
  options.seed = ~std::uint64_t{0};
  ModelFile::create(path_, SplittingGp(2, 1, options));
  const ModelFile file = ModelFile::open(path_);
  EXPECT_EQ(file.model().options().seed, options.seed);
}

TEST_F(ModelFileTest, EveryOptionComesBack) {
  Options options;
  options.split_limit = 7;
  options.kernel = KernelFamily::matern52;
  options.comparison.aggregation = Aggregation::similarity;
  options.neighbors = 5;
  options.comparison.taper = false;
  options.comparison.inherit = false;
  options.comparison.principal_direction = PrincipalDirection::oja;
  options.comparison.split_space = SplitSpace::raw;
  options.training = Training::background;
  options.training_observations = 77;
  options.fixed = {true, false, true, false, true, true};
  options.threads = 3;
  options.seed = 12345678901234567890u;
  options.hyperparameters.emplace().length_scale = Eigen::Vector2d(0.1, 1e-12);
  options.hyperparameters->mean = Eigen::VectorXd::Constant(1, -1.0 / 3.0);
  ModelFile::create(path_, SplittingGp(2, 1, options));
  const ModelFile file = ModelFile::open(path_);
  const Options& back = file.model().options();
  EXPECT_EQ(back.split_limit, options.split_limit);
  EXPECT_EQ(back.kernel, options.kernel);
  EXPECT_EQ(back.comparison.aggregation, options.comparison.aggregation);
  EXPECT_EQ(back.neighbors, options.neighbors);
  EXPECT_EQ(back.comparison.taper, options.comparison.taper);
  EXPECT_EQ(back.comparison.inherit, options.comparison.inherit);
  EXPECT_EQ(back.comparison.principal_direction, options.comparison.principal_direction);
  EXPECT_EQ(back.comparison.split_space, options.comparison.split_space);
  EXPECT_EQ(back.training, options.training);
  EXPECT_EQ(back.training_observations, options.training_observations);
  EXPECT_EQ(back.fixed.length_scale, true);
  EXPECT_EQ(back.fixed.signal_variance, false);
  EXPECT_EQ(back.fixed.noise_variance, true);
  EXPECT_EQ(back.fixed.shape, false);
  EXPECT_EQ(back.fixed.mean, true);
  EXPECT_EQ(back.fixed.output_scale, true);
  EXPECT_EQ(back.threads, options.threads);
  EXPECT_EQ(back.seed, options.seed);
  EXPECT_EQ(back.hyperparameters->length_scale, options.hyperparameters->length_scale);
  EXPECT_EQ(back.hyperparameters->mean, options.hyperparameters->mean);
}

}  // namespace
}  // namespace splitgp
