// One binary, several compilations of the core: each runs, they agree, and a processor without the
// newer instructions never executes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "splitgp/instruction_set.h"
#include "support/command.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using testing::CommandResult;
using testing::file_text;
using ::testing::HasSubstr;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

constexpr const char* kVariable = "SPLITGP_INSTRUCTION_SET=";
// SSE4.2 is the newest it has; without AVX, any use of a 32-byte register is an illegal
// instruction.
constexpr const char* kOldProcessor = "qemu-x86_64 -cpu Nehalem ";

void write_rows(const std::filesystem::path& path) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 120; ++i) {
    const double a = std::sin(0.7 * i);
    const double b = std::cos(1.3 * i);
    text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(a * a + b) + "\n";
  }
  write_text(path, text);
}

// Splits, displacements, trainings and predictions: the whole core.
std::vector<std::string> stream_arguments(const TemporaryDirectory& folder,
                                          const std::string& predictions) {
  return {"stream",   folder / "rows.csv", "-t",       "y", "--split-limit", "20", "--kernel",
          "matern52", "--predictions",     predictions};
}

std::vector<double> means_in(const std::string& path) {
  std::vector<double> result;
  std::istringstream lines(file_text(path));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t comma = line.find(',');
    result.push_back(std::stod(line.substr(comma + 1)));
  }
  return result;
}

TEST(CliInstructionSet, AllGiveTheSameAnswersToRounding) {
  if (instruction_sets().size() == 1) GTEST_SKIP() << "this build, or processor, has one only";
  const TemporaryDirectory folder;
  write_rows(folder / "rows.csv");
  std::vector<double> first;
  for (const std::string& name : instruction_sets()) {
    const std::string predictions = folder / (name + ".csv");
    const CommandResult result =
        run(folder.path(), stream_arguments(folder, predictions), "", {kVariable + name});
    ASSERT_EQ(result.code, 0) << result.err;
    const std::vector<double> means = means_in(predictions);
    ASSERT_EQ(means.size(), 120U);
    if (first.empty()) first = means;
    for (std::size_t i = 0; i < means.size(); ++i) EXPECT_NEAR(means[i], first[i], 1e-3) << name;
    EXPECT_THAT(run(folder.path(), {"--version"}, "", {kVariable + name}).out,
                HasSubstr("instructions: " + name));
  }
}

TEST(CliInstructionSet, UnknownNameIsAnError) {
  if (instruction_sets().size() == 1) GTEST_SKIP() << "this build, or processor, has one only";
  const TemporaryDirectory folder;
  write_rows(folder / "rows.csv");
  const CommandResult result = run(folder.path(), stream_arguments(folder, folder / "p.csv"), "",
                                   {std::string(kVariable) + "mmx"});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("SPLITGP_INSTRUCTION_SET is 'mmx'"));
}

TEST(CliInstructionSet, AnOldProcessorGetsTheBaseline) {
  if (instruction_sets().size() == 1) GTEST_SKIP() << "this build, or processor, has one only";
  if (std::system("qemu-x86_64 --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "qemu-x86_64 is not installed (Debian: qemu-user)";
  const TemporaryDirectory folder;
  write_rows(folder / "rows.csv");
  const auto emulated = [&](const std::vector<std::string>& arguments) {
    std::string line = std::string(kOldProcessor) + SPLITGP_COMMAND;
    for (const std::string& argument : arguments) line += " '" + argument + "'";
    line += " >'" + (folder / "out").string() + "' 2>&1";
    return std::system(line.c_str());
  };
  ASSERT_EQ(emulated({"--version"}), 0) << file_text(folder / "out");
  EXPECT_THAT(file_text(folder / "out"), HasSubstr("instructions: baseline (of baseline)"));
  ASSERT_EQ(emulated(stream_arguments(folder, folder / "emulated.csv")), 0)
      << file_text(folder / "out");

  const CommandResult native = run(folder.path(), stream_arguments(folder, folder / "native.csv"),
                                   "", {std::string(kVariable) + "baseline"});
  ASSERT_EQ(native.code, 0) << native.err;
  // Not to the bit: the C library has several exponentials too.
  const std::vector<double> expected = means_in(folder / "native.csv");
  const std::vector<double> means = means_in(folder / "emulated.csv");
  ASSERT_EQ(means.size(), expected.size());
  for (std::size_t i = 0; i < means.size(); ++i) EXPECT_NEAR(means[i], expected[i], 1e-3) << i;
}

}  // namespace
}  // namespace splitgp
