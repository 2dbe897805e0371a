#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "splitgp/error.h"
#include "splitgp/model_file.h"
#include "support/fixed_theta.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp::model_file_errors_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no FileError";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void run_sql(const std::filesystem::path& path, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_free(error);
  sqlite3_close(handle);
}

class ModelFileErrors : public ::testing::Test {
 protected:
  SplittingGp learned() const {
    Options options = testing::fixed_theta();
    options.split_limit = 10;
    SplittingGp model(2, 1, options);
    const testing::Stream stream = testing::smooth_stream(1, 2, 1, 60);
    model.update_batch(stream.X, stream.Y);
    return model;
  }

  /// Everything in the directory, with its bytes.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      result[entry.path().filename().string()] =
          entry.is_regular_file() ? bytes_of(entry.path()) : "";
    }
    return result;
  }

  /// Both ways of opening refuse, with this message, and touch nothing.
  void expect_refused(const std::filesystem::path& path, const std::string& reason) {
    const auto before = contents();
    for (const std::string& message :
         {message_of([&] { ModelFile::open(path); }), message_of([&] { load(path); })}) {
      EXPECT_THAT(message, AllOf(HasSubstr(path.filename().string()), HasSubstr(reason)));
      EXPECT_THAT(message, ::testing::Not(HasSubstr("\n")));
    }
    EXPECT_TRUE(contents() == before) << "opening " << path << " left a trace";
  }

  testing::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "model.splitgp";
};

TEST_F(ModelFileErrors, WhatIsNotThere) {
  expect_refused(path_, "there is no such file");
  expect_refused(directory_ / "no such directory/model.splitgp", "there is no such file");
  std::filesystem::create_directory(path_);
  expect_refused(path_, "it is a directory");
}

TEST_F(ModelFileErrors, FilesOfAnotherKind) {
  write_bytes(path_, "");
  expect_refused(path_, "is not a splitgp model file: it is empty");
  write_bytes(path_, "time,power\n1,2\n");
  expect_refused(path_, "is not a splitgp model file: it is not an SQLite database");
  write_bytes(path_, std::string(5000, 'x'));
  expect_refused(path_, "is not a splitgp model file: it is not an SQLite database");
  std::filesystem::remove(path_);
  run_sql(path_, "PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1)");
  expect_refused(path_, "is not a splitgp model file: it is another program's SQLite database");
}

TEST_F(ModelFileErrors, NewerVersion) {
  ModelFile::create(path_, learned());
  run_sql(path_, "PRAGMA user_version = 7");
  expect_refused(path_, "has format version 7; this splitgp reads versions up to 5");
}

TEST_F(ModelFileErrors, EditedContentIsDetected) {
  const char* edits[] = {
      "UPDATE observation SET x1 = x1 + 1e-9 WHERE sequence = 17",
      "UPDATE observation SET local_gp = 0 WHERE sequence = 59",
      "UPDATE observation SET noise_variance = -1 WHERE sequence = 3",
      "DELETE FROM observation WHERE sequence = 17",
      "DELETE FROM observation WHERE sequence = 59",
      "INSERT INTO observation SELECT 60, x0, x1, y0, noise_variance, local_gp, displaced, "
      "checksum "
      "FROM observation WHERE sequence = 59",
      "DELETE FROM local_gp WHERE number = 2",
      "UPDATE local_gp_at_start SET points = '[1,2' WHERE number = 0",
      "DELETE FROM local_gp_at_start",
      "DELETE FROM split",
      "UPDATE theta SET signal_variance = 2",
      "DELETE FROM theta",
      "DELETE FROM option WHERE name = 'inherit'",
      "UPDATE option SET value = '11' WHERE name = 'split_limit'",
      "UPDATE model SET value = value + 1 WHERE name = 'observations'",
      "DELETE FROM model WHERE name = 'refit_cursor'",
      "UPDATE input SET mean = 0 WHERE number = 0",
      "DELETE FROM output",
      "DROP TABLE note",
      "ALTER TABLE source ADD COLUMN more TEXT",
  };
  ModelFile::create(path_, learned());
  const std::string good = bytes_of(path_);
  for (const char* sql : edits) {
    SCOPED_TRACE(sql);
    write_bytes(path_, good);
    run_sql(path_, sql);
    expect_refused(path_, "is damaged: ");
  }
}

// A file may hold the user's own tables, and triggers that we do not run.
TEST_F(ModelFileErrors, OtherTablesAreLeftAlone) {
  ModelFile::create(path_, learned());
  run_sql(path_,
          "CREATE TABLE mine (a); INSERT INTO mine VALUES (1); CREATE TRIGGER t AFTER INSERT ON "
          "observation BEGIN DELETE FROM observation; END");
  {
    ModelFile file = ModelFile::open(path_);
    file.model().update(Eigen::Vector2d(0, 0), Eigen::VectorXd::Zero(1));
    file.checkpoint();
  }
  EXPECT_EQ(ModelFile::open(path_).model().n_observations(), 61u);
}

TEST_F(ModelFileErrors, CreateDoesNotReplace) {
  ModelFile::create(path_, learned());
  const auto before = contents();
  EXPECT_THAT(message_of([&] { ModelFile::create(path_, learned()); }),
              HasSubstr("it already exists"));
  EXPECT_TRUE(contents() == before);
}

// SQLite would take it for the new file's own.
TEST_F(ModelFileErrors, TheLogOfADeletedFileIsNotRead) {
  const std::filesystem::path other = directory_ / "other.splitgp";
  ModelFile file = ModelFile::create(other, learned());
  file.model().update(Eigen::Vector2d(0, 0), Eigen::VectorXd::Zero(1));
  file.checkpoint();
  ASSERT_GT(bytes_of(other.string() + "-wal").size(), 4096u);
  write_bytes(path_.string() + "-wal", bytes_of(other.string() + "-wal"));
  ModelFile::create(path_, learned());
  EXPECT_EQ(ModelFile::open(path_).model().n_observations(), 60u);
}

TEST_F(ModelFileErrors, ASecondWriterIsRefused) {
  const ModelFile first = ModelFile::create(path_, learned());
  EXPECT_THAT(message_of([&] { ModelFile::open(path_); }), HasSubstr("in use by another writer"));
  std::filesystem::create_symlink(path_, directory_ / "link");
  EXPECT_THAT(message_of([&] { ModelFile::open(directory_ / "link"); }),
              HasSubstr("in use by another writer"));
  EXPECT_EQ(load(path_).model.n_observations(), 60u);
}

TEST_F(ModelFileErrors, AWriterInAnotherProcessIsRefusedToo) {
  const ModelFile first = ModelFile::create(path_, learned());
  const pid_t child = fork();
  if (child == 0) {
    const std::string message = message_of([&] { ModelFile::open(path_); });
    _exit(message.find("in use by another writer") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(ModelFileErrors, AForeignTransactionIsWaitedForAndThenReported) {
  ModelFile file = ModelFile::create(path_, learned());
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  file.model().update(Eigen::Vector2d(0, 0), Eigen::VectorXd::Zero(1));
  EXPECT_THAT(message_of([&] { file.checkpoint(); }),
              AllOf(HasSubstr("cannot write"), HasSubstr("in use by another process")));
  sqlite3_close(handle);
  file.checkpoint();
  EXPECT_EQ(load(path_).model.n_observations(), 61u);
}

// As a user without privileges, since root may write everywhere.
TEST_F(ModelFileErrors, ReadOnlyDirectory) {
  ModelFile::create(path_, learned());
  std::filesystem::permissions(path_, static_cast<std::filesystem::perms>(0444));
  std::filesystem::permissions(directory_.path(), static_cast<std::filesystem::perms>(0555));
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && setuid(65534) != 0) _exit(9);
    const std::string opened = message_of([&] { ModelFile::open(path_); });
    const std::string created =
        message_of([&] { ModelFile::create(directory_ / "new.splitgp", learned()); });
    if (opened.find("cannot write " + path_.string() + ": Permission denied")) _exit(1);
    if (created.find("cannot write")) _exit(2);
    _exit(load(path_).model.n_observations() == 60 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::filesystem::permissions(directory_.path(), static_cast<std::filesystem::perms>(0755));
}

TEST_F(ModelFileErrors, LoadedModelsAreTheirOwn) {
  ModelFile::create(path_, learned());
  LoadedModel loaded = load(path_);
  loaded.model.update(Eigen::Vector2d(0, 0), Eigen::VectorXd::Zero(1));
  EXPECT_EQ(loaded.model.n_observations(), load(path_).model.n_observations() + 1);
}

TEST_F(ModelFileErrors, NamesMustFitTheModel) {
  ModelFileOptions options;
  options.input_names = {"one"};
  EXPECT_THROW(ModelFile::create(path_, learned(), options), InvalidArgument);
  EXPECT_TRUE(contents().empty());
}

}  // namespace
}  // namespace splitgp::model_file_errors_test
