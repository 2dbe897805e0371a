#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "serve/ledger.h"
#include "splitgp/model_file.h"
#include "store/file_internals.h"
#include "support/command.h"
#include "support/sanitized.h"
#include "support/temporary_directory.h"

namespace splitgp::cli_forget_test {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::quick_training;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

std::string rows(int count) {
  std::string text = "t,x,y\n";
  for (int i = 0; i < count; ++i) {
    text += std::to_string(1.7e9 + 0.5 * i) + "," + std::to_string(std::sin(0.7 * i)) + "," +
            std::to_string(std::cos(1.3 * i)) + "\n";
  }
  return text;
}

TEST(CliForget, TakesRowsBackOrSaysWhyNot) {
  const TemporaryDirectory folder;
  const std::string model = folder / "model.splitgp";
  write_text(folder / "in.csv", rows(100));
  const std::vector<std::string> stream =
      quick_training({"stream", folder / "in.csv", "-t", "y", "-m", model});
  ASSERT_EQ(run(folder.path(), stream).code, 0);
  const auto forget = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"forget", "-m", model});
    return run(folder.path(), arguments);
  };
  // As --predictions counts them: the first row is 1.
  const CommandResult some = forget({"--rows", "11-21,58"});
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_THAT(some.out, HasSubstr("forgot 12 observations; 88 left"));
  EXPECT_EQ(load(model).model.n_observations(), 88u);
  const std::vector<std::uint64_t> held = load(model).model.observations().sequence;
  for (const std::uint64_t row : {11, 21, 58})
    EXPECT_EQ(std::count(held.begin(), held.end(), row - 1), 0);
  for (const std::uint64_t row : {10, 22, 57})
    EXPECT_EQ(std::count(held.begin(), held.end(), row - 1), 1);
  EXPECT_THAT(run(folder.path(), {"inspect", "-m", model}).out,
              HasSubstr("88 observations of 100 seen"));

  EXPECT_THAT(forget({"--rows", "9,58"}).err, HasSubstr("58 was forgotten already"));
  EXPECT_THAT(forget({"--rows", "3,3"}).err, HasSubstr("3 is there more than once"));
  EXPECT_THAT(forget({"--rows", "90-101"}).err, HasSubstr("has learned 100 observations"));
  EXPECT_THAT(forget({"--rows", "0"}).err, HasSubstr("counted from 1"));
  EXPECT_THAT(forget({"--before", "0"}).err, HasSubstr("0 is not a whole number of 1 or more"));
  EXPECT_THAT(forget({"--before", "102"}).err, HasSubstr("has learned 100 observations"));
  EXPECT_THAT(forget({"--rows", "7-3"}).err, HasSubstr("ends before it begins"));
  EXPECT_THAT(forget({"--rows", "1;2"}).err, HasSubstr("'1;2' is neither"));
  EXPECT_THAT(forget({}).err, HasSubstr("either --rows or --before"));
  EXPECT_EQ(forget({"--rows", "1", "--before", "2"}).code, 2);
  EXPECT_EQ(load(model).model.n_observations(), 88u);

  EXPECT_EQ(forget({"--before", "51"}).code, 0);
  EXPECT_EQ(load(model).model.n_observations(), 49u);
  // Resuming reads nothing again.
  const CommandResult resumed = run(folder.path(), stream);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(load(model).model.n_observations(), 49u);
}

// Numbers count what was learned; files of predictions count every row.
TEST(CliForget, NamesTheDifferenceWhereRowsWereRejected) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", "x,y\n1,1\nbad\n2,2\n3,3\n");
  const std::string model = folder / "model.splitgp";
  ASSERT_EQ(run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model}).code, 0);
  const CommandResult result = run(folder.path(), {"forget", "-m", model, "--rows", "2"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("of the 4 rows read, 3 were learned"));
}

TEST(CliForget, StreamsKeepAWindowOrAnAge) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(300));
  const std::string window = folder / "window.splitgp";
  EXPECT_EQ(run(folder.path(), quick_training({"stream", folder / "in.csv", "-t", "y", "-m", window,
                                               "--window-size", "80", "--batch", "7"}))
                .code,
            0);
  EXPECT_EQ(load(window).model.n_observations(), 80u);

  const std::string age = folder / "age.splitgp";
  const std::vector<std::string> stream{"stream", folder / "in.csv", "-t", "y", "-m", age};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> arguments = stream;
    arguments.insert(arguments.end(), more);
    return run(folder.path(), quick_training(arguments));
  };
  EXPECT_THAT(with({"--max-age", "20"}).err, HasSubstr("name it with --time COL"));
  const CommandResult learned = with({"--max-age", "20", "--time", "t"});
  EXPECT_EQ(learned.code, 0) << learned.err;
  EXPECT_EQ(load(age).model.n_observations(), 41u);
}

// A file that was served has the answers that it gave beside the model.
TEST(CliForget, EmptiesWhatTheServiceAnswered) {
  const TemporaryDirectory folder;
  const std::string model = folder / "model.splitgp";
  write_text(folder / "in.csv", rows(20));
  ASSERT_EQ(run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model}).code, 0);
  {
    ModelFile file = ModelFile::open(model);
    serve::Ledger ledger(*FileInternals::database(file), {});
    for (std::uint64_t i = 0; i < 20; ++i)
      ledger.keep("row " + std::to_string(i), {7, i, "what was said of it"});
    FileInternals::checkpoint(
        file, [&] { ledger.write(); }, [](const FileInternals::Call& settle) { settle(); });
  }
  ASSERT_EQ(run(folder.path(), {"forget", "-m", model, "--rows", "18"}).code, 0);
  ASSERT_EQ(run(folder.path(), {"forget", "-m", model, "--before", "6"}).code, 0);
  ModelFile file = ModelFile::open(model);
  serve::Ledger ledger(*FileInternals::database(file), {});
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::optional<serve::KeptAnswer> kept = ledger.answer_to("row " + std::to_string(i));
    ASSERT_TRUE(kept);
    const bool forgotten = i < 5 || i == 17;
    EXPECT_EQ(kept->answer.find("what was said") == std::string::npos, forgotten) << i;
    EXPECT_EQ(kept->fingerprint, forgotten ? 0u : 7u);
  }
}

}  // namespace
}  // namespace splitgp::cli_forget_test
