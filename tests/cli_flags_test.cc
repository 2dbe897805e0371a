// Flags that ask for something missing, or for something other than the model was created with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.h"
#include "support/temporary_directory.h"

namespace splitgp::cli_flags_test {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

constexpr const char* kRows = "year,a,b,y\n1,2,3,4\n2,3,5,6\n";

class CliModelColumns : public ::testing::Test {
 protected:
  CliModelColumns() {
    write_text(folder_ / "in.csv", kRows);
    EXPECT_EQ(stream({"-t", "y", "--ignore", "year"}).code, 0);
  }

  CommandResult stream(std::vector<std::string> more, const std::string& input = "in.csv") {
    std::vector<std::string> arguments{"stream", folder_ / input, "-m", folder_ / "model.splitgp"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(folder_.path(), arguments);
  }

  TemporaryDirectory folder_;
};

TEST_F(CliModelColumns, OthersAreRefused) {
  const std::string made = "model.splitgp was made with ";
  const struct {
    std::vector<std::string> flags;
    std::string flag;
    std::string kept;
  } cases[] = {
      {{"--target", "b"}, "--target b: ", made + "y, which cannot change"},
      {{"-t", "3"}, "--target b: ", made + "y, which cannot change"},
      {{"-t", "y,b"}, "--target y,b: ", made + "y, which cannot change"},
      {{"-t", "none"}, "--target none: ", made + "y, which cannot change"},
      {{"--inputs", "a"}, "--inputs a: ", made + "a,b, which cannot change"},
      {{"--inputs", "1,a,b"}, "--inputs year,a,b: ", made + "a,b, which cannot change"},
      {{"--ignore", "year,b"}, "--ignore b: ", made + "it as an input, which cannot change"},
      {{"--ignore", "2"}, "--ignore a: ", made + "it as an input, which cannot change"},
      {{"--ignore", "y"}, "--ignore y: ", made + "it as a target, which cannot change"},
  };
  for (const auto& [flags, flag, kept] : cases) {
    const CommandResult result = stream(flags);
    EXPECT_EQ(result.code, 2) << flag;
    EXPECT_THAT(result.err, HasSubstr(flag));
    EXPECT_THAT(result.err, HasSubstr(kept));
    EXPECT_EQ(result.out, "") << flag;
  }
}

TEST_F(CliModelColumns, TheSameInOtherWordsAreFine) {
  // An input may lack ignored columns and have the others in another order.
  write_text(folder_ / "b.csv", "y,b,a\n4,3,2\n");
  for (const std::string input : {"in.csv", "b.csv"}) {
    for (const std::vector<std::string>& flags :
         std::vector<std::vector<std::string>>{{},
                                               {"-t", "y"},
                                               {"-t", "y", "--ignore", "year"},
                                               {"--inputs", "b,a"},
                                               {"--inputs", "a,b,year", "--ignore", "year"},
                                               {"-t", "y", "--ignore", "year,y"}}) {
      const CommandResult result = stream(flags, input);
      EXPECT_EQ(result.code, 0) << result.err;
    }
  }
  EXPECT_EQ(stream({"-t", "4", "--inputs", "2,3", "--ignore", "1"}).code, 0);
}

class CliModelOptions : public CliModelColumns {
 protected:
  CommandResult stream_other(std::vector<std::string> more) {
    std::vector<std::string> arguments{"stream", folder_ / "in.csv",       "-t", "y",
                                       "-m",     folder_ / "other.splitgp"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(folder_.path(), arguments);
  }
};

TEST_F(CliModelOptions, OthersAreRefused) {
  const std::string without = "model.splitgp was made without it";
  const struct {
    std::vector<std::string> flags;
    std::string message;
  } cases[] = {
      {{"--split-limit", "7"}, "--split-limit 7: "},
      {{"--kernel", "rbf"}, "--kernel rbf: "},
      {{"--seed", "3"}, "--seed 3: "},
      {{"--no-taper"}, "--no-taper: "},
      {{"--preset", "paper"}, "--preset paper: "},
      {{"--fixed", "mean"}, "--fixed mean: "},
      {{"--length-scale", "5", "--mean", "7"}, "--length-scale: "},
      {{"--mean", "7"}, "--mean: "},
      {{"--noise-variance", "0.01"}, "--noise-variance: "},
  };
  for (const auto& [flags, message] : cases) {
    const CommandResult result = stream(flags);
    EXPECT_EQ(result.code, 2) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "") << message;
  }
  EXPECT_THAT(stream({"--mean", "7"}).err, HasSubstr(without));
}

TEST_F(CliModelOptions, TheSameStartIsFineAndAnotherIsNot) {
  const std::vector<std::string> start{"--length-scale", "5", "--mean", "7"};
  EXPECT_EQ(stream_other(start).code, 0);
  EXPECT_EQ(stream_other(start).code, 0);
  EXPECT_EQ(stream_other({"--length-scale", "5,5,5"}).code, 0);
  EXPECT_EQ(stream_other({}).code, 0);
  const CommandResult result = stream_other({"--length-scale", "5,5,6"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--length-scale 5,5,6: the model in "));
  EXPECT_THAT(result.err, HasSubstr("was made with 5,5,5, and keeps it"));
}

// Variances alone are a starting θ too: the first row is predicted with them.
TEST_F(CliModelOptions, VariancesCountFromTheFirstRow) {
  const std::string predictions = folder_ / "p.csv";
  EXPECT_EQ(stream_other(
                {"--noise-variance", "3", "--signal-variance", "61", "--predictions", predictions})
                .code,
            0);
  // sd = √(61 + 3) = 8, around a mean of 0.
  EXPECT_THAT(testing::file_text(predictions), HasSubstr("\n1,0,8,"));
}

TEST(CliConfig, UnknownKeysAreNamed) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", kRows);
  const auto stream = [&](const std::string& config) {
    write_text(folder / "flags.toml", config);
    return run(folder.path(),
               {"stream", folder / "in.csv", "-t", "y", "--config", folder / "flags.toml"});
  };
  const struct {
    std::string config;
    std::string key;
  } cases[] = {
      {"spilt-limit = 50\n", "stream has no flag 'spilt-limit'"},
      {"seed = 1\nsplit_limit = 50\n", "stream has no flag 'split_limit'"},
      {"[stream]\nspilt-limit = 50\n", "stream has no flag 'spilt-limit'"},
      {"garbage\n", "stream has no flag 'garbage'"},
      {"this is garbage\n", "garbage'"},
      {"[straem]\nseed = 1\n", "unknown section [straem]"},
      {"[predict]\nthreads = 2\n", "unknown section [predict]"},
  };
  for (const auto& [config, key] : cases) {
    const CommandResult result = stream(config);
    EXPECT_EQ(result.code, 2) << config;
    EXPECT_THAT(result.err, HasSubstr(key));
  }
  for (const std::string config : {"split-limit = 50\n", "[stream]\nsplit-limit = 50\n", "",
                                   "t = \"y\"\n", "# a comment\n\nno-taper = true\n"}) {
    const CommandResult result = stream(config);
    EXPECT_EQ(result.code, 0) << config << result.err;
  }
}

TEST(CliCommand, AnUnknownOneIsNamedAndTheOthersListed) {
  const TemporaryDirectory folder;
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"strem", "x.csv"}, {"strem", "x.csv", "-t", "y"}}) {
    const CommandResult result = run(folder.path(), arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr("unknown command 'strem'; the commands are stream, predict, "
                                      "inspect, report, forget, serve, demo, completion"));
  }
  EXPECT_THAT(run(folder.path(), {"--nonsense"}).err, Not(HasSubstr("unknown command")));
}

// A number that CLI11 would turn into another one.
TEST(CliCounts, AreWholeNumbersAndNotNegative) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", "x,y\n1,2\n2,3\n");
  const std::string in = folder / "in.csv";
  const std::vector<std::vector<std::string>> cases = {
      {"stream", in, "-t", "y", "--seed", "-1"},
      {"stream", in, "-t", "y", "--limit", "-1"},
      {"stream", in, "-t", "y", "--batch", "99999999999999999999"},
      {"stream", in, "-t", "y", "--batch", "0"},
      {"stream", in, "-t", "y", "--commit-every", "nan"},
      {"stream", in, "-t", "y", "--commit-every", "inf"},
      {"stream", in, "-t", "y", "--commit-every", "-1"},
      {"demo", "--seed", "-1"},
      {"demo", "--rows", "99999999999999999999"},
      {"forget", "-m", in, "--before", "-1"},
      {"inspect", "-m", in, "--local-gps", "-1"},
      {"serve", "-m", folder / "m.splitgp", "--max-rows", "-1"},
      {"serve", "-m", folder / "m.splitgp", "--name", "a/b"},
      {"serve", "-m", folder / "m.splitgp", "--name", "a b"},
      {"serve", "-m", folder / "m.splitgp", "--name", ".."}};
  for (const std::vector<std::string>& arguments : cases) {
    const CommandResult result = run(folder.path(), arguments);
    EXPECT_EQ(result.code, 2) << arguments[arguments.size() - 2] << result.err;
    EXPECT_THAT(result.err, HasSubstr(arguments[arguments.size() - 2]));
    EXPECT_THAT(result.err, HasSubstr(arguments.back()));
  }
  EXPECT_EQ(run(folder.path(), {"stream", in, "-t", "y", "--seed", "18446744073709551615"}).code,
            0);
}

}  // namespace
}  // namespace splitgp::cli_flags_test
