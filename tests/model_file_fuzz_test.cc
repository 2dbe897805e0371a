#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <random>
#include <vector>

#include "support/forgetful_file.h"
#include "support/golden.h"
#include "support/temporary_directory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern int model_files_opened;

namespace splitgp {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Bytes golden_file() { return file_bytes(testing::golden::directory() / "model_v1.splitgp"); }

Bytes forgetful_file() {
  const testing::TemporaryDirectory directory;
  testing::make_forgetful_file(directory / "model.splitgp");
  return file_bytes(directory / "model.splitgp");
}

// One to four random mutations.
void mutate(Bytes& bytes, std::mt19937_64& random) {
  for (std::uint64_t times = 1 + random() % 4; times > 0; --times) {
    const std::size_t at = random() % bytes.size();
    const std::size_t length = std::min<std::size_t>(1 + random() % 64, bytes.size() - at);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 5) {
      case 0:
        bytes[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
        break;
      case 1:
        bytes[at] = static_cast<std::uint8_t>(random());
        break;
      case 2:
        std::fill_n(first, length, std::uint8_t{0});
        break;
      case 3:
        std::copy_n(bytes.begin(), length, first);
        break;
      default:
        for (std::size_t i = 0; i < length; ++i) {
          bytes[at + i] = static_cast<std::uint8_t>(random());
        }
    }
  }
}

// How many of `runs` opened. A crash, a leak or undefined behaviour ends the test.
int run(std::uint8_t kind, int runs) {
  std::mt19937_64 random(kind);
  const Bytes golden = kind < 3 ? golden_file() : forgetful_file();
  const int before = model_files_opened;
  for (int i = 0; i < runs; ++i) {
    Bytes bytes;
    if (kind % 3 == 2) {
      bytes.resize(3 * (1 + random() % 3));
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    } else {
      bytes = golden;
      mutate(bytes, random);
    }
    bytes.insert(bytes.begin(), kind);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  return model_files_opened - before;
}

TEST(ModelFileFuzz, InjuredFiles) {
  const int opened = run(0, 400);
  EXPECT_GT(opened, 0) << "injuries to unused bytes do no harm";
  EXPECT_LT(opened, 400);
}

TEST(ModelFileFuzz, InjuredFilesWithRightChecksums) { EXPECT_GT(run(1, 400), 0); }

TEST(ModelFileFuzz, EditedFiles) {
  const int opened = run(2, 400);
  EXPECT_GT(opened, 0) << "some edits make another valid model";
  EXPECT_LT(opened, 400);
}

// The same for the lists of a model that forgets.
TEST(ModelFileFuzz, InjuredFilesThatForget) {
  EXPECT_GT(run(3, 200), 0);
  EXPECT_GT(run(4, 200), 0);
}

TEST(ModelFileFuzz, EditedFilesThatForget) {
  const int opened = run(5, 400);
  EXPECT_GT(opened, 0);
  EXPECT_LT(opened, 400);
}

}  // namespace
}  // namespace splitgp
