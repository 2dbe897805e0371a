// No byte of a file that could affect a terminal reaches it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "io/printable.h"
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

TEST(Printable, KeepsTextAndEscapesTheRest) {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"temp °C, ж, 温度, 🌡", "temp °C, ж, 温度, 🌡"},
      {"a\x1b[31mb\x07", R"(a\x1b[31mb\x07)"},
      {std::string("\0\t\n\x7f", 4), R"(\x00\x09\x0a\x7f)"},
      {"\xc2\x9b", R"(\xc2\x9b)"},                          // a control character of two bytes
      {"\xff\xfe", R"(\xff\xfe)"},                          // never in UTF-8
      {"\xc3", R"(\xc3)"},                                  // cut off
      {"\xe6\xb8x", R"(\xe6\xb8x)"},                        // the same, in the middle
      {"\xc0\xaf\xe0\x80\xaf", R"(\xc0\xaf\xe0\x80\xaf)"},  // overlong encodings
      {"\xed\xa0\x80", R"(\xed\xa0\x80)"},                  // a surrogate
      {"\xf4\x90\x80\x80", R"(\xf4\x90\x80\x80)"},          // beyond the last code point
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(printable(text), expected);
}

TEST(Printable, ShownIsShortAndNeverCutsACharacter) {
  EXPECT_EQ(shown("abc"), "'abc'");
  EXPECT_EQ(shown(std::string(41, 'a')), "'" + std::string(40, 'a') + "…'");
  EXPECT_EQ(shown(std::string(39, 'a') + "éé"), "'" + std::string(39, 'a') + "…'");
}

bool harmless(std::string text) {
  std::erase(text, '\n');
  return printable(text) == text;
}

TEST(CliPrintable, ErrorsAboutABinaryFileAre) {
  const TemporaryDirectory folder;
  const std::string evil = "\x1b]0;title\x07\xff";
  write_text(folder / "header.csv", "x" + evil + ",y\n1,2\n");
  write_text(folder / "twice.csv", evil + "," + evil + ",y\n1,2,3\n");
  write_text(folder / "value.csv", "x,y\n" + evil + ",2\n");
  write_text(folder / "key.ndjson", "{\"x\":\"\x7f\xc2\x9b\",\"y\":1}\n");
  write_text(folder / "flags.toml", evil + " = 1\n");
  const std::string rejects = folder / "r.csv";
  const std::vector<std::string> cases[] = {
      {"stream", folder / "header.csv", "-t", "z"},
      {"stream", folder / "twice.csv", "-t", "y"},
      {"stream", folder / "value.csv", "-t", "y", "--as", "x=number", "--rejects", rejects},
      {"stream", folder / "value.csv", "-t", "y", "--as", "x=number", "--strict"},
      {"stream", folder / "key.ndjson", "-t", "y", "--as", "x=number"},
      {"stream", folder / "value.csv", "-t", "y", "--config", folder / "flags.toml"},
      {"stream", "/bin/sh", "-t", "y"},
  };
  for (const std::vector<std::string>& arguments : cases) {
    const CommandResult result = run(folder.path(), arguments);
    EXPECT_NE(result.code, 0);
    EXPECT_THAT(result.err, HasSubstr("\\x"));
    EXPECT_TRUE(harmless(result.err)) << result.err;
  }
  EXPECT_THAT(file_text(rejects), HasSubstr(R"('\x1b]0;title\x07\xff' is not a number)"));
}

TEST(CliPrintable, ColumnNamesOfAModelAre) {
  const TemporaryDirectory folder;
  const std::string model = folder / "model.splitgp";
  const CommandResult streamed = run(folder.path(), {"stream", "-", "-t", "2,3", "-m", model},
                                     "x\x1b,y\x1b,z\n1,2,3\n2,4,6\n");
  EXPECT_EQ(streamed.code, 0) << streamed.err;
  EXPECT_THAT(streamed.out, HasSubstr("  y\\x1b: RMSE"));
  const CommandResult inspected = run(folder.path(), {"inspect", "-m", model});
  EXPECT_THAT(inspected.out, HasSubstr("  x\\x1b "));
  EXPECT_EQ(inspected.out.find('\x1b'), std::string::npos);
  const CommandResult other =
      run(folder.path(), {"stream", "-", "-t", "z", "-m", model}, "x\x1b,y\x1b,z\n");
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(harmless(other.err)) << other.err;
}

}  // namespace
}  // namespace splitgp
