// Streams of which nothing, or almost nothing, can be learned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/command.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using testing::CommandResult;
using testing::file_text;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

constexpr const char* kHint = "--ignore";

// The first column is not a number.
std::string named_rows(int count) {
  std::string text = "name,x,y\n";
  for (int i = 0; i < count; ++i) text += "n," + std::to_string(i) + "," + std::to_string(i) + "\n";
  return text;
}

TEST(CliRejected, NoModelIsLeftAndTheHintCanBeFollowed) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", named_rows(50));
  std::vector<std::string> arguments{"stream", folder / "in.csv",       "-t", "y",
                                     "-m",     folder / "model.splitgp"};
  // A commit for every row would leave a file at once.
  arguments.insert(arguments.end(), {"--batch", "1", "--as", "name=number"});
  const CommandResult all = run(folder.path(), arguments);
  EXPECT_EQ(all.code, 3);
  EXPECT_THAT(all.out, HasSubstr("read 50 rows: 0 learned, 50 rejected"));
  EXPECT_THAT(all.out, HasSubstr("no model was created"));
  EXPECT_THAT(all.err, HasSubstr(kHint));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("splitgp")));
  }

  arguments.insert(arguments.end(), {"--ignore", "name"});
  const CommandResult followed = run(folder.path(), arguments);
  EXPECT_EQ(followed.code, 0) << followed.err;
  EXPECT_THAT(followed.out, HasSubstr("read 50 rows: 50 learned, 0 rejected"));
}

TEST(CliRejected, StrictLeavesNoModelThatLearnedNothing) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", named_rows(5));
  const std::string model = folder / "model.splitgp";
  EXPECT_EQ(run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model, "--strict",
                                "--as", "name=number"})
                .code,
            3);
  EXPECT_FALSE(std::filesystem::exists(model));
}

TEST(CliRejected, RowsBeforeTheFirstGoodOneAreCounted) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", "x,y\nn,1\n,2\n3,3\n");
  const std::vector<std::string> arguments{
      "stream", folder / "in.csv",        "-t",        "y",
      "-m",     folder / "model.splitgp", "--missing", "reject"};
  const CommandResult first = run(folder.path(), arguments);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("read 3 rows: 1 learned, 2 rejected"));
  EXPECT_THAT(run(folder.path(), arguments).out, HasSubstr("read 0 rows"));
}

TEST(CliRejected, AModelThatWasThereStays) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", "x,y\n1,2\n");
  write_text(folder / "bad.csv", "x,y\nn,2\n");
  write_text(folder / "short.csv", "y\n2\n");
  const std::string model = folder / "model.splitgp";
  EXPECT_EQ(run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model}).code, 0);
  for (const std::string input : {"bad.csv", "short.csv"}) {
    const CommandResult result = run(folder.path(), {"stream", folder / input, "-m", model});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.out, HasSubstr("read 1 row: 0 learned, 1 rejected"));
    EXPECT_THAT(result.err, HasSubstr("1 row rejected, "));
    EXPECT_THAT(result.err, Not(HasSubstr(kHint))) << "the model has its columns for good";
  }
  EXPECT_THAT(run(folder.path(), {"inspect", "-m", model}).out,
              HasSubstr("1 observation, 1 input, 1 output, 1 local GP, "));
}

TEST(CliRejected, TheHintIsForInputsThatAreNoNumbers) {
  const TemporaryDirectory folder;
  const struct {
    std::string text;
    bool hint;
  } cases[] = {
      {"a,b,y\nn,1,2\n", true},
      {"a,b,y\n1,2,n\n", false},  // the target
      {"a,b,y\n1,2\n", false},    // a field is missing
      {"a,y\nn,2\n", false},      // no input would be left
      {"{\"a\":\"n\",\"b\":1,\"y\":2}\n", true},
  };
  for (const auto& [text, hint] : cases) {
    const CommandResult result =
        run(folder.path(), {"stream", "-", "-t", "y", "--as", "a=number"}, text);
    EXPECT_EQ(result.code, 3) << text;
    EXPECT_EQ(result.err.find(kHint) != std::string::npos, hint) << text << result.err;
  }
}

TEST(CliRejected, AModelThatCannotBeMadeIsFoundOutFirst) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", named_rows(5));
  write_text(folder / "p.csv", "earlier\n");
  const CommandResult result =
      run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", folder / "none" / "model",
                          "--predictions", folder / "p.csv"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("none: No such file or directory"));
  EXPECT_EQ(file_text(folder / "p.csv"), "earlier\n");
}

TEST(CliRejected, AHeaderAloneMakesNoModel) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", "x,y\n");
  const std::string model = folder / "model.splitgp";
  EXPECT_EQ(run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(model));
}

}  // namespace
}  // namespace splitgp
