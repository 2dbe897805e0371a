// Which inputs a stream continues with: files that have grown, not files that were replaced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <zlib.h>

#include <filesystem>

#include "cli/stream/fingerprint.h"
#include "support/command.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

std::string rows(int count, int slope = 2) {
  std::string text = "x,y\n";
  for (int i = 0; i < count; ++i) {
    text += std::to_string(i) + "," + std::to_string(slope * i) + "\n";
  }
  return text;
}

class CliResume : public ::testing::Test {
 protected:
  CommandResult stream(const std::string& input, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"stream", input,           "-t",         "y",
                                       "-m",     model_.string(), "--training", "off"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(folder_.path(), arguments);
  }

  // As written by a version that did not have them.
  void drop_notes_about_inputs() {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(model_.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, "DELETE FROM note WHERE key LIKE 'stream_front %'", nullptr,
                           nullptr, nullptr),
              SQLITE_OK);
    EXPECT_EQ(sqlite3_changes(database), 1);
    sqlite3_close(database);
  }

  TemporaryDirectory folder_;
  std::filesystem::path in_ = folder_ / "in.csv";
  std::filesystem::path model_ = folder_ / "model.splitgp";
};

TEST_F(CliResume, AReplacedFileIsNoticed) {
  write_text(in_, rows(20));
  EXPECT_EQ(stream(in_).code, 0);
  write_text(in_, rows(30, 3));
  const CommandResult replaced = stream(in_);
  EXPECT_EQ(replaced.code, 1);
  EXPECT_THAT(replaced.err, HasSubstr("in.csv: the file was replaced since it was read"));
  EXPECT_THAT(replaced.err, HasSubstr("--reread"));
  EXPECT_THAT(replaced.out, HasSubstr("read 0 rows"));

  const CommandResult reread = stream(in_, {"--reread"});
  EXPECT_EQ(reread.code, 0) << reread.err;
  EXPECT_THAT(reread.out, HasSubstr("30 learned"));
  write_text(in_, rows(31, 3));
  EXPECT_THAT(stream(in_).out, HasSubstr("1 learned")) << "the new file is known from now on";
}

TEST_F(CliResume, AFileThatHasGrownIsTheSame) {
  // Without a final line break, and beyond the 64 KiB that are checked, with few but long rows.
  const std::string zeros(100, '0');
  for (const int count : {3, 4, 1000, 1001}) {
    std::string text = "x,y\n";
    for (int i = 0; i < count; ++i) {
      text += std::to_string(i) + "." + zeros + "," + std::to_string(2 * i) + "\n";
    }
    text.pop_back();
    write_text(in_, text);
    const CommandResult result = stream(in_, {"--limit", "400", "--split-limit", "20"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, Not(HasSubstr("read 0 rows"))) << count;
  }
}

TEST_F(CliResume, WhatIsComparedIsTheTextNotItsPacking) {
  const auto pack = [this](const std::string& text, const char* mode) {
    const gzFile file = gzopen(in_.c_str(), mode);
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  };
  pack(rows(20), "wb1");
  EXPECT_EQ(stream(in_).code, 0);
  pack(rows(25), "wb9");
  EXPECT_THAT(stream(in_).out, HasSubstr("5 learned"));
}

TEST_F(CliResume, ARowNotReadYetMayBeCorrected) {
  write_text(in_, "x,y\n1,1\n2,oops\n3,3\n");
  EXPECT_EQ(stream(in_, {"--strict"}).code, 3);
  write_text(in_, "x,y\n1,1\n2,2\n3,3\n");
  const CommandResult corrected = stream(in_, {"--strict"});
  EXPECT_EQ(corrected.code, 0) << corrected.err;
  EXPECT_THAT(corrected.out, HasSubstr("2 learned"));
}

TEST_F(CliResume, AModelFileThatDoesNotSayGoesOn) {
  write_text(in_, rows(20));
  EXPECT_EQ(stream(in_).code, 0);
  drop_notes_about_inputs();
  write_text(in_, rows(30, 3));
  const CommandResult result = stream(in_);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("10 learned"));
  // From now on it does say.
  write_text(in_, rows(40, 4));
  EXPECT_EQ(stream(in_).code, 1);
}

TEST(Fingerprint, CoversWhatItWasExtendedWith) {
  const std::string text = "a,b\n1,2\n";
  Fingerprint whole;
  whole.extend(text);
  Fingerprint parts;
  for (std::size_t size = 0; size <= text.size(); ++size) parts.extend(text.substr(0, size));
  EXPECT_EQ(parts.to_note(), whole.to_note());
  EXPECT_TRUE(whole.matches(text + "3,4\n"));
  EXPECT_FALSE(whole.matches("a,b\n1,3\n"));
  EXPECT_FALSE(whole.matches("a,b\n1,2")) << "too short";
  EXPECT_TRUE(Fingerprint::from_note(whole.to_note())->matches(text));
  for (const char* note : {"", "8", "8 ", "x y", "8 12 3"}) {
    EXPECT_FALSE(Fingerprint::from_note(note)) << note;
  }
}

}  // namespace
}  // namespace splitgp
