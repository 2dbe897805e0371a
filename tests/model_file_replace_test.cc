// Another model, with other inputs, takes the place of the one in a file, all at once.
#include <gtest/gtest.h>

#include <filesystem>

#include "splitgp/model_file.h"
#include "store/file_internals.h"
#include "support/failing_disk.h"
#include "support/fixed_theta.h"
#include "support/same_model.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp::model_file_replace_test {

using Eigen::Index;

class ModelFileReplace : public ::testing::Test {
 protected:
  static Options small() {
    Options options;
    options.split_limit = options.capacity = 12;
    options.training_observations = 40;
    options.kernel = KernelFamily::rbf;
    return options;
  }
  // After so many rows of a stream with so many inputs.
  static SplittingGp learned(Index inputs, Index rows, const Options& options = small()) {
    const testing::Stream stream = testing::smooth_stream(1, inputs, 1, 200);
    SplittingGp model(inputs, 1, options);
    for (Index i = 0; i < rows; ++i) model.update(stream.X.col(i), stream.Y.col(i));
    return model;
  }
  static void append(ModelFile& file, Index inputs, Index from, Index to) {
    const testing::Stream stream = testing::smooth_stream(1, inputs, 1, 200);
    for (Index i = from; i < to; ++i) file.model().update(stream.X.col(i), stream.Y.col(i));
  }

  testing::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "model.splitgp";
};

TEST_F(ModelFileReplace, IsWrittenByTheNextCheckpointAndGoesOn) {
  Options forgetful = small();
  forgetful.max_observations = 30;
  for (const Options& options : {small(), forgetful}) {
    std::filesystem::remove(path_);
    ModelFile file = ModelFile::create(path_, learned(2, 0, options), {{}, {"a", "b"}, {"y"}, {}});
    append(file, 2, 0, 70);
    file.set_note("note", "kept");
    file.checkpoint({{"rows", 70}});

    FileInternals::replace(file, learned(3, 70, options), {"a", "b", "c"});
    append(file, 3, 70, 80);
    // Not before the checkpoint.
    EXPECT_EQ(load(path_).model.n_inputs(), 2);
    file.checkpoint({{"rows", 80}});
    {
      const LoadedModel loaded = load(path_);
      EXPECT_EQ(loaded.input_names, (std::vector<std::string>{"a", "b", "c"}));
      EXPECT_EQ(loaded.positions.at("rows"), 80u);
      EXPECT_EQ(loaded.notes.at("note"), "kept");
      testing::expect_same_model(loaded.model, learned(3, 80, options));
    }
    append(file, 3, 80, 120);
    file.checkpoint({{"rows", 120}});
    file = ModelFile::in_memory(SplittingGp(1, 1));  // closes it
    ModelFile again = ModelFile::open(path_);
    append(again, 3, 120, 160);
    again.checkpoint({{"rows", 160}});
    testing::expect_same_model(load(path_).model, learned(3, 160, options));
  }
}

TEST_F(ModelFileReplace, AssigningDoesTheSameIfTheColumnsAreTheSame) {
  ModelFile file = ModelFile::create(path_, learned(2, 0), {{}, {"a", "b"}, {"y"}, {}});
  append(file, 2, 0, 70);
  file.checkpoint();
  // Its rows are no longer followed.
  SplittingGp taken = std::move(file.model());
  file.model() = learned(2, 40);
  append(file, 2, 40, 50);
  file.checkpoint();
  testing::expect_same_model(load(path_).model, learned(2, 50));
  taken.update(Eigen::Vector2d(0.0, 0.0), Eigen::VectorXd::Zero(1));
  append(file, 2, 50, 60);
  file.checkpoint();
  testing::expect_same_model(load(path_).model, learned(2, 60));

  // Nor does a model that another file follows bring its rows with it.
  ModelFile other = ModelFile::create(directory_ / "other.splitgp", learned(2, 0));
  append(other, 2, 0, 30);
  other.checkpoint();
  append(other, 2, 30, 45);
  file.model() = std::move(other.model());
  append(file, 2, 45, 55);
  file.checkpoint();
  testing::expect_same_model(load(path_).model, learned(2, 55));

  file.model() = learned(3, 30);
  EXPECT_THROW(file.checkpoint(), InvalidArgument);
  testing::expect_same_model(load(path_).model, learned(2, 55));
}

TEST_F(ModelFileReplace, ABatchIsWrittenAsItsRowsAre) {
  const testing::Stream stream = testing::smooth_stream(1, 2, 1, 200);
  ModelFile file = ModelFile::create(path_, SplittingGp(2, 1, small()));
  file.model().update_batch(stream.X.leftCols(60), stream.Y.leftCols(60));
  file.checkpoint();
  testing::expect_same_model(load(path_).model, learned(2, 60));
}

// The disk fails at the first, second, … write, until there are enough.
TEST_F(ModelFileReplace, AFailedCheckpointLeavesTheOldModelAndCanBeRepeated) {
  const Options untrained = testing::fixed_theta(small());
  bool failed = true;
  int tried = 0, attempts = 0;
  for (; failed; tried += 1 + tried / 6, ++attempts) {
    SCOPED_TRACE("after " + std::to_string(tried) + " writes");
    std::filesystem::remove(path_);
    testing::FailingDisk disk;
    ModelFile file = ModelFile::create(path_, learned(2, 0, untrained));
    append(file, 2, 0, 40);
    file.checkpoint();
    FileInternals::replace(file, learned(3, 40, untrained), {"a", "b", "c"});
    disk.fail_after(tried, SQLITE_FULL);
    failed = false;
    try {
      file.checkpoint();
    } catch (const FileError&) {
      failed = true;
    }
    disk.mend();
    if (!failed) break;
    testing::expect_same_model(load(path_).model, learned(2, 40, untrained));
    append(file, 3, 40, 50);
    file.checkpoint();
    testing::expect_same_model(load(path_).model, learned(3, 50, untrained));
  }
  EXPECT_GT(attempts, 5);
}

}  // namespace splitgp::model_file_replace_test
