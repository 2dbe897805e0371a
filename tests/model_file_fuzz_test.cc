#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <random>
#include <vector>

#include "support/golden.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern int model_files_opened;

namespace splitgp {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes golden_file() {
  std::ifstream file(testing::golden::directory() / "model_v1.splitgp", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
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
  const Bytes golden = golden_file();
  const int before = model_files_opened;
  for (int i = 0; i < runs; ++i) {
    Bytes bytes;
    if (kind == 2) {
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

}  // namespace
}  // namespace splitgp
