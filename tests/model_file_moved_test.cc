// The file is deleted, moved or replaced, or has a second name, while a model lives in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "splitgp/model_file.h"
#include "support/fixed_theta.h"
#include "support/same_model.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp::model_file_moved_test {
namespace {

using ::testing::HasSubstr;

class ModelFileMoved : public ::testing::Test {
 protected:
  ModelFile open_with(Eigen::Index rows) const {
    ModelFile file = ModelFile::create(path_, SplittingGp(2, 1, testing::fixed_theta()));
    learn(file, 0, rows);
    file.checkpoint({{"rows", static_cast<std::uint64_t>(rows)}});
    return file;
  }
  void learn(ModelFile& file, Eigen::Index from, Eigen::Index to) const {
    for (Eigen::Index i = from; i < to; ++i)
      file.model().update(stream_.X.col(i), stream_.Y.col(i));
  }
  // Nothing of it is acknowledged, now or later.
  static void expect_refused(ModelFile& file) {
    try {
      file.checkpoint();
      ADD_FAILURE() << "a checkpoint was acknowledged";
    } catch (const UnusableModel& error) {
      EXPECT_THAT(error.what(), HasSubstr("deleted, moved or replaced while it was open"));
    }
    EXPECT_THROW(file.checkpoint(), UnusableModel);
    EXPECT_THROW(file.model().update(Eigen::Vector2d(0.0, 0.0), Eigen::VectorXd::Zero(1)),
                 UnusableModel);
  }
  static std::string refusal(const std::filesystem::path& path) {
    try {
      ModelFile::open(path);
    } catch (const FileError& error) {
      return error.what();
    }
    return "it was opened";
  }

  testing::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "model.splitgp";
  std::filesystem::path other_ = directory_ / "other.splitgp";
  testing::Stream stream_ = testing::smooth_stream(1, 2, 1, 60);
};

TEST_F(ModelFileMoved, ADeletedFileAcknowledgesNothing) {
  {
    ModelFile file = open_with(20);
    std::filesystem::remove(path_);
    learn(file, 20, 30);
    expect_refused(file);
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path())) << "its log or lock is left";
}

TEST_F(ModelFileMoved, AFileUnderAnotherNameIsAsOfItsLastCheckpoint) {
  {
    ModelFile file = open_with(20);
    std::filesystem::rename(path_, other_);
    learn(file, 20, 30);
    expect_refused(file);
  }
  EXPECT_EQ(load(other_).positions.at("rows"), 20u);
}

TEST_F(ModelFileMoved, ABackupMovedOverItStaysWhole) {
  { ModelFile backup = open_with(10); }
  std::filesystem::rename(path_, other_);
  const SplittingGp expected = load(other_).model;
  {
    ModelFile file = open_with(20);
    learn(file, 20, 30);
    std::filesystem::rename(other_, path_);
    expect_refused(file);
  }
  EXPECT_FALSE(std::filesystem::exists(path_.string() + "-wal"));
  testing::expect_same_model(expected, load(path_).model);
  ModelFile again = ModelFile::open(path_);
  learn(again, 10, 30);
  again.checkpoint();
}

#ifdef __linux__
TEST_F(ModelFileMoved, ASecondNameDoesNotBypassTheLock) {
  const ModelFile file = open_with(20);
  std::filesystem::create_hard_link(path_, other_);
  EXPECT_THAT(refusal(other_), HasSubstr("in use by another writer"));
  std::filesystem::remove(other_);
  std::filesystem::create_symlink(path_, other_);
  EXPECT_THAT(refusal(other_), HasSubstr("in use by another writer"));
}

TEST_F(ModelFileMoved, AFileWithTwoNamesIsNotWritten) {
  { open_with(20); }
  std::filesystem::create_hard_link(path_, other_);
  for (const auto& name : {path_, other_}) EXPECT_THAT(refusal(name), HasSubstr("hard link"));
  EXPECT_EQ(load(other_).model.n_seen(), 20u);
  std::filesystem::remove(other_);
  EXPECT_EQ(refusal(path_), "it was opened");
}
#endif

}  // namespace
}  // namespace splitgp::model_file_moved_test
