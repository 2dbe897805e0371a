// No command writes over what it reads, or into a file that it writes otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/command.h"
#include "support/temporary_directory.h"

namespace splitgp::cli_own_files_test {
namespace {

using testing::CommandResult;
using testing::file_text;
using ::testing::HasSubstr;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

class CliOwnFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string text = "x,y\n";
    for (int i = 0; i < 30; ++i) text += std::to_string(i) + "," + std::to_string(2 * i) + "\n";
    write_text(folder_ / "in.csv", text);
    ASSERT_EQ(
        run(folder_.path(), {"stream", in_, "-t", "y", "-m", model_, "--training", "off"}).code, 0);
    std::filesystem::create_hard_link(in_, folder_ / "hard.csv");
    std::filesystem::create_symlink("in.csv", folder_ / "soft.csv");
    std::filesystem::create_symlink("p.csv", folder_ / "nowhere.csv");
    before_in_ = file_text(in_);
    before_model_ = file_text(model_);
  }

  // The command is refused, and changes nothing.
  void refuses(const std::vector<std::string>& arguments, const std::string& why) {
    const CommandResult result = run(folder_.path(), arguments);
    EXPECT_EQ(result.code, 2) << why;
    EXPECT_THAT(result.err, HasSubstr(why));
    EXPECT_EQ(file_text(in_), before_in_) << why;
    EXPECT_EQ(file_text(model_), before_model_) << why;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "p.csv")) << why;
  }

  TemporaryDirectory folder_;
  std::string in_ = folder_ / "in.csv";
  std::string model_ = folder_ / "m.splitgp";
  std::string before_in_, before_model_;
};

TEST_F(CliOwnFiles, PredictKeepsItsInputAndItsModel) {
  for (const char* name : {"in.csv", "hard.csv", "soft.csv"}) {
    refuses({"predict", in_, "-m", model_, "-o", folder_ / name},
            std::string("--output ") + std::string(folder_ / name) +
                ": this is the same file as the input " + in_);
  }
  refuses({"predict", in_, "-m", model_, "-o", model_}, "same file as --model " + model_);
  refuses({"predict", in_, "-m", model_, "-o", model_ + "-wal"}, "same file as --model");
  refuses({"predict", in_, "-m", model_, "-o", folder_ / "o.csv", "--rejects", in_}, "--rejects");
  refuses({"predict", in_, "-m", model_, "-o", folder_ / "p.csv", "--rejects", folder_ / "./p.csv"},
          "same file as --output");
}

TEST_F(CliOwnFiles, StreamKeepsItsInputsAndItsModel) {
  const std::vector<std::string> stream{"stream", folder_ / "soft.csv", in_, "-t", "y", "-m",
                                        model_};
  for (const char* flag : {"--predictions", "--rejects", "--events"}) {
    std::vector<std::string> arguments = stream;
    arguments.insert(arguments.end(), {flag, in_});
    refuses(arguments, flag + (" " + in_) + ": this is the same file as the input");
    arguments.back() = model_;
    refuses(arguments, "same file as --model");
  }
  std::vector<std::string> two = stream;
  two.insert(two.end(), {"--predictions", folder_ / "p.csv", "--events", folder_ / "nowhere.csv"});
  refuses(two, std::string("--events ") + std::string(folder_ / "nowhere.csv") +
                   ": this is the same file as --predictions");
  two = stream;
  two.insert(two.end(), {"--predictions", "-", "--rejects", "-"});
  refuses(two, "--rejects -: this is the same file as --predictions -");
  refuses({"stream", in_, "-t", "y", "-m", folder_ / "p.csv", "--events", folder_ / "p.csv"},
          "same file as --model");
  write_text(folder_ / "flags.toml", "target = \"y\"\n");
  refuses({"stream", in_, "--config", folder_ / "flags.toml", "--rejects", folder_ / "flags.toml"},
          "same file as --config");
}

TEST_F(CliOwnFiles, ReportKeepsItsModel) {
  refuses({"report", "-m", model_, "-o", model_}, "--output " + model_);
}

// The shell has opened it, and nobody can tell whether its end was its beginning.
TEST_F(CliOwnFiles, StandardOutputIsAFileToo) {
  const std::string printed = folder_ / "stdout";  // where the tests send it
  write_text(printed, before_in_);
  refuses({"predict", printed, "-m", model_}, "--output -: this is the same file as the input");
  refuses({"stream", in_, "-t", "y", "--rejects", printed},
          "standard output: this is the same file");
}

// It holds every observation.
TEST_F(CliOwnFiles, AModelIsForItsOwnerAlone) {
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(model_).permissions(), perms::owner_read | perms::owner_write);
  // What its owner decides later stays.
  std::filesystem::permissions(model_, perms::group_read, std::filesystem::perm_options::add);
  write_text(folder_ / "more.csv", "x,y\n5,6\n");
  EXPECT_EQ(run(folder_.path(), {"stream", folder_ / "more.csv", "-m", model_}).code, 0);
  EXPECT_EQ(std::filesystem::status(model_).permissions(),
            perms::owner_read | perms::owner_write | perms::group_read);
}

TEST_F(CliOwnFiles, ADeviceMayBeShared) {
  EXPECT_EQ(run(folder_.path(), {"stream", in_, "-t", "y", "--rejects", "/dev/null", "--events",
                                 "/dev/null", "--training", "off"})
                .code,
            0);
}

}  // namespace
}  // namespace splitgp::cli_own_files_test
