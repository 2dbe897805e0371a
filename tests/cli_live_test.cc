// The stream command while its input is still arriving: pipes, signals, locales, compressed files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/command.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using testing::CommandProcess;
using testing::CommandResult;
using testing::eventually_contains;
using testing::file_text;
using ::testing::HasSubstr;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

std::string row(int i) {
  return std::to_string(i % 17) + "," + std::to_string(std::sin(0.1 * i)) + "\n";
}

std::uint64_t observations(const TemporaryDirectory& folder, const std::string& model) {
  const CommandResult result = run(folder.path(), {"inspect", "--model", model, "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  return nlohmann::json::parse(result.out)["observations"];
}

TEST(CliLive, ARowIsAnsweredBeforeTheWriterCloses) {
  const TemporaryDirectory folder;
  CommandProcess process(folder.path(), {"stream", "-", "-t", "y", "--predictions", "-"});
  process.send("x,y\n");
  for (int i = 1; i <= 3; ++i) {
    process.send(row(i));
    EXPECT_TRUE(eventually_contains(folder / "stdout", fmt::format("\n{},", i)));
  }
  process.end_input();
  EXPECT_EQ(process.wait(), 0);
}

TEST(CliLive, PredictAnswersBeforeTheWriterCloses) {
  const TemporaryDirectory folder;
  const std::string model = folder / "model.splitgp";
  ASSERT_EQ(run(folder.path(), {"stream", "-", "-t", "y", "-m", model}, "x,y\n1,2\n2,3\n").code, 0);
  CommandProcess process(folder.path(), {"predict", "-", "-m", model});
  process.send("x\n1\n");
  EXPECT_TRUE(eventually_contains(folder / "stdout", "\n1,"));
  process.send("2\n");
  EXPECT_TRUE(eventually_contains(folder / "stdout", "\n2,"));
  process.end_input();
  EXPECT_EQ(process.wait(), 0);
}

TEST(CliLive, AQuietPipeIsCommittedInTime) {
  const TemporaryDirectory folder;
  const std::string model = folder / "model.splitgp";
  CommandProcess process(folder.path(), {"stream", "-", "-t", "y", "-m", model, "--commit-every",
                                         "0.05", "--predictions", folder / "p.csv"});
  process.send("x,y\n" + row(1) + row(2));
  ASSERT_TRUE(eventually_contains(folder / "p.csv", "\n2,"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (observations(folder, model) < 2 && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_EQ(observations(folder, model), 2u);
}

TEST(CliLive, SignalsCommitAndLeaveAUsableFile) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const TemporaryDirectory folder;
    const std::string model = folder / "model.splitgp";
    // No commit would come by itself.
    CommandProcess process(folder.path(),
                           {"stream", "-", "-t", "y", "-m", model, "--batch", "1000000",
                            "--commit-every", "3600", "--predictions", folder / "p.csv"});
    std::string text = "x,y\n";
    for (int i = 1; i <= 20; ++i) text += row(i);
    process.send(text);
    ASSERT_TRUE(eventually_contains(folder / "p.csv", "\n20,"));
    process.signal(signal);
    EXPECT_EQ(process.wait(), code);
    EXPECT_THAT(process.out(), HasSubstr("20 learned"));
    EXPECT_EQ(observations(folder, model), 20u);
    // And it continues from there.
    const CommandResult again =
        run(folder.path(), {"stream", "-", "-m", model, "--resume-stdin"}, text + row(21));
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(observations(folder, model), 21u);
  }
}

// A line that never ends, from a source that never makes the reader wait: the file is a hole of
// 256 GiB after its first rows.
// No row that is not in the file is counted as learned.
TEST(CliLive, AModelDeletedMeanwhileEndsTheStream) {
  const TemporaryDirectory folder;
  const std::string model = folder / "model.splitgp";
  CommandProcess process(folder.path(), {"stream", "-", "-t", "y", "-m", model, "--predictions",
                                         "-", "--commit-every", "0.05"});
  process.send("x,y\n" + row(1) + row(2));
  EXPECT_TRUE(eventually_contains(folder / "stdout", "\n2,"));
  std::filesystem::remove(model);
  process.send(row(3));
  EXPECT_EQ(process.wait(), 1);
  EXPECT_THAT(process.err(), HasSubstr("deleted, moved or replaced while it was open"));
  EXPECT_FALSE(std::filesystem::exists(model));
  EXPECT_FALSE(std::filesystem::exists(model + "-wal"));
}

TEST(CliLive, ASignalEndsALineWithoutEnd) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", "x,y\n" + row(1) + row(2));
  std::filesystem::resize_file(folder / "in.csv", std::uintmax_t{1} << 38);
  const std::string model = folder / "model.splitgp";
  CommandProcess process(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model,
                                         "--batch", "1", "--rejects", folder / "r.csv"});
  ASSERT_TRUE(eventually_contains(folder / "r.csv", "longer than 4194304 bytes"));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // well into the rest of the line
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 143);
  EXPECT_EQ(observations(folder, model), 2u);
}

TEST(CliLive, AFirstLineWithoutEndIsAnError) {
  const TemporaryDirectory folder;
  const CommandResult result = run(folder.path(), {"stream", "/dev/zero", "-t", "y"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("/dev/zero: line 1: "));
  EXPECT_THAT(result.err, HasSubstr("longer than 4194304 bytes"));
}

// Streams pack(text) and expects all rows to be there.
void expect_unpacked(const std::string& packed) {
  const TemporaryDirectory folder;
  write_text(folder / "in", packed);
  const CommandResult result =
      run(folder.path(), {"stream", folder / "in", "-t", "y", "--training", "off"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("50 learned, 0 rejected"));

  write_text(folder / "in", packed.substr(0, packed.size() - 9));
  const CommandResult cut =
      run(folder.path(), {"stream", folder / "in", "-t", "y", "--training", "off"});
  EXPECT_EQ(cut.code, 1);
  EXPECT_THAT(cut.err, HasSubstr("is truncated"));
}

std::string fifty_rows() {
  std::string text = "x,y\n";
  for (int i = 0; i < 50; ++i) text += row(i);
  return text;
}

TEST(CliLive, UnpacksGzipOfSeveralMembers) {
  const TemporaryDirectory folder;
  const std::string text = fifty_rows();
  const std::string path = folder / "packed";
  for (const std::string& part : {text.substr(0, 100), text.substr(100)}) {
    const gzFile file = gzopen(path.c_str(), "ab");
    gzwrite(file, part.data(), static_cast<unsigned>(part.size()));
    gzclose(file);
  }
  expect_unpacked(file_text(path));
}

TEST(CliLive, UnpacksXz) {
  const std::string text = fifty_rows();
  std::string packed(10'000, '\0');
  std::size_t size = 0;
  ASSERT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                text.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  expect_unpacked(packed.substr(0, size));
}

TEST(CliLive, UnpacksZstd) {
  const std::string text = fifty_rows();
  std::string packed(10'000, '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  expect_unpacked(packed);
}

TEST(CliLive, LocaleNeverMatters) {
  const TemporaryDirectory folder;
  // A German locale of our own, made from the sources in Debian's package `locales`.
  std::vector<std::string> environment{"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8"};
  const std::string command =
      "localedef -i de_DE -f UTF-8 " + (folder / "de_DE.UTF-8").string() + " >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "localedef cannot make a German locale";
  environment.push_back("LOCPATH=" + folder.path().string());
  ASSERT_EQ(std::system(("test \"$(LC_ALL=de_DE.UTF-8 LOCPATH=" + folder.path().string() +
                         " locale decimal_point)\" = ,")
                            .c_str()),
            0)
      << "the locale that was made is not used";
  const std::vector<std::string> arguments{"stream",        "-", "-t", "y", "--training", "off",
                                           "--predictions", "-"};
  const std::string text = "x,y\n1.5,2.25\n1.75,2.5\n";
  const CommandResult german = run(folder.path(), arguments, text, environment);
  EXPECT_EQ(german.code, 0) << german.err;
  EXPECT_THAT(german.out, HasSubstr(",2.25,"));
  EXPECT_EQ(german.out, run(folder.path(), arguments, text, {"LC_ALL=C"}).out);
}

TEST(CliLive, DemoEndsWithWhatToTryNext) {
  const TemporaryDirectory folder;
  const CommandResult result = run(folder.path(), {"demo", "--rows", "200"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("splitgp stream"));
}

TEST(CliLive, CompletionScriptsParse) {
  const TemporaryDirectory folder;
  const CommandResult result = run(folder.path(), {"completion", "bash"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("--split-limit"));
  write_text(folder / "splitgp.bash", result.out);
  EXPECT_EQ(std::system(("bash -n " + (folder / "splitgp.bash").string()).c_str()), 0);
  EXPECT_THAT(run(folder.path(), {"completion", "zsh"}).out, HasSubstr("#compdef splitgp"));
  EXPECT_THAT(run(folder.path(), {"completion", "fish"}).out, HasSubstr("-l split-limit"));
}

}  // namespace
}  // namespace splitgp
