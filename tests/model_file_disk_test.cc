#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "splitgp/model_file.h"
#include "support/failing_disk.h"
#include "support/fixed_theta.h"
#include "support/same_model.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using testing::FailingDisk;

struct Failure {
  int code;
  std::string message;
};

class ModelFileDisk : public ::testing::TestWithParam<Failure> {
 protected:
  static SplittingGp new_model() {
    Options options = testing::fixed_theta();
    options.split_limit = 10;
    return SplittingGp(2, 1, options);
  }
  void append(ModelFile& file, Eigen::Index from, Eigen::Index to) const {
    for (Eigen::Index i = from; i < to; ++i)
      file.model().update(stream_.X.col(i), stream_.Y.col(i));
  }
  SplittingGp uninterrupted(Eigen::Index n) const {
    SplittingGp model = new_model();
    model.update_batch(stream_.X.leftCols(n), stream_.Y.leftCols(n));
    return model;
  }

  testing::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "model.splitgp";
  testing::Stream stream_ = testing::smooth_stream(1, 2, 1, 400);
};

// The disk fails at the first, second, ... write of a checkpoint, until one succeeds.
TEST_P(ModelFileDisk, AFailedCheckpointLeavesTheLastOneAndCanBeRepeated) {
  bool failed = true;
  int tried = 0;
  for (; failed; ++tried) {
    SCOPED_TRACE("after " + std::to_string(tried) + " writes");
    std::filesystem::remove(path_);
    FailingDisk disk;
    ModelFile file = ModelFile::create(path_, new_model());
    append(file, 0, 200);
    file.checkpoint({{"rows", 200}});
    append(file, 200, 400);
    file.set_note("note", "text");
    disk.fail_after(tried, GetParam().code);
    failed = false;
    try {
      file.checkpoint({{"rows", 400}});
    } catch (const FileError& error) {
      failed = true;
      EXPECT_THAT(error.what(), ::testing::HasSubstr("cannot write " + path_.string() + ": "));
      if (tried == 0) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().message));
      }
    }
    disk.mend();
    if (!failed) break;
    EXPECT_EQ(file.position("rows").rows, 200u);
    {
      const LoadedModel reader = load(path_);
      EXPECT_EQ(reader.positions.at("rows"), 200u);
      EXPECT_FALSE(reader.notes.contains("note"));
      testing::expect_same_model(uninterrupted(200), reader.model);
    }
    file.checkpoint({{"rows", 400}});
    const LoadedModel reader = load(path_);
    EXPECT_EQ(reader.positions.at("rows"), 400u);
    EXPECT_EQ(reader.notes.at("note"), "text");
    testing::expect_same_model(uninterrupted(400), reader.model);
  }
  EXPECT_GT(tried, 5) << "a checkpoint of 200 rows should take several writes";
}

// As above, but the process gives up instead of trying again. What it could not confirm as written
// may be there, complete, or not.
TEST_P(ModelFileDisk, AfterAFailureTheFileOpensAtACheckpoint) {
  for (int writes : {0, 1, 2, 3, 5, 8, 13, 21}) {
    SCOPED_TRACE("after " + std::to_string(writes) + " writes");
    std::filesystem::remove(path_);
    FailingDisk disk;
    {
      ModelFile file = ModelFile::create(path_, new_model());
      append(file, 0, 200);
      file.checkpoint({{"rows", 200}});
      append(file, 200, 400);
      disk.fail_after(writes, GetParam().code);
      try {
        file.checkpoint({{"rows", 400}});
      } catch (const FileError&) {
      }
    }  // closing cannot write either
    disk.mend();
    ModelFile file = ModelFile::open(path_);
    const std::uint64_t rows = file.position("rows").rows;
    EXPECT_TRUE(rows == 200 || rows == 400) << rows;
    append(file, static_cast<Eigen::Index>(rows), 400);
    testing::expect_same_model(uninterrupted(400), file.model());
    file.checkpoint();
  }
}

TEST_P(ModelFileDisk, AFileThatCannotBeWrittenIsNotCreated) {
  for (int writes : {0, 1, 2, 5, 10}) {
    SCOPED_TRACE("after " + std::to_string(writes) + " writes");
    FailingDisk disk;
    disk.fail_after(writes, GetParam().code);
    EXPECT_THROW(ModelFile::create(path_, uninterrupted(300)), FileError);
    EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelFileDisk,
                         ::testing::Values(Failure{SQLITE_FULL, "the disk is full"},
                                           Failure{SQLITE_IOERR_WRITE, ""}),
                         [](const auto& one) {
                           return one.param.code == SQLITE_FULL ? "Full" : "Error";
                         });

}  // namespace
}  // namespace splitgp
