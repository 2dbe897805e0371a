#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>

#include "splitgp/model_file.h"
#include "support/fixed_theta.h"
#include "support/same_model.h"
#include "support/sanitized.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

constexpr int kInjuries = testing::kSanitized ? 400 : 2000;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class ModelFileDamage : public ::testing::Test {
 protected:
  SplittingGp new_model() const {
    Options options = testing::fixed_theta();
    options.split_limit = 10;
    options.window_size = window_;
    return SplittingGp(2, 1, options);
  }

  void append(ModelFile& file, Eigen::Index from, Eigen::Index to) const {
    for (Eigen::Index i = from; i < to; ++i)
      file.model().update(stream_.X.col(i), stream_.Y.col(i));
  }
  SplittingGp uninterrupted(std::uint64_t n) const {
    SplittingGp model = new_model();
    const auto columns = static_cast<Eigen::Index>(n);
    model.update_batch(stream_.X.leftCols(columns), stream_.Y.leftCols(columns));
    return model;
  }

  /// Refused, or the model as of one of its checkpoints: nothing in between.
  bool opens(const std::filesystem::path& path) {
    try {
      const LoadedModel loaded = load(path);
      const std::uint64_t rows =
          loaded.positions.contains("rows") ? loaded.positions.at("rows") : 0;
      EXPECT_EQ(rows, loaded.model.n_seen());
      EXPECT_EQ(rows % 20, 0u);
      testing::expect_same_model(uninterrupted(rows), loaded.model);
      return true;
    } catch (const FileError&) {
      return false;
    }
  }

  int window_ = 0;
  testing::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "model.splitgp";
  testing::Stream stream_ = testing::smooth_stream(1, 2, 1, 100);
};

class DamagedFile : public ModelFileDamage {
 protected:
  void SetUp() override {
    {
      ModelFile file = ModelFile::create(path_, new_model());
      append(file, 0, 60);
      file.checkpoint({{"rows", 60}});
    }
    good_ = bytes_of(path_);
    ASSERT_TRUE(opens(path_));
  }

  // Flips one bit of the good file, as often as that, and counts the files that still open.
  int opened_with_a_flipped_bit(int times, unsigned seed) {
    std::mt19937_64 random(seed);
    int opened = 0;
    for (int i = 0; i < times; ++i) {
      std::string bytes = good_;
      const std::size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      write_bytes(path_, bytes);
      SCOPED_TRACE("byte " + std::to_string(at));
      opened += opens(path_) ? 1 : 0;
    }
    return opened;
  }

  std::string good_;
};

TEST_F(DamagedFile, TruncatedAnywhereIsRefused) {
  std::mt19937_64 random(1);
  for (int i = 0; i < kInjuries / 4; ++i) {
    const std::size_t length =
        i < 110 ? static_cast<std::size_t>(i) : static_cast<std::size_t>(random() % good_.size());
    write_bytes(path_, good_.substr(0, length));
    EXPECT_FALSE(opens(path_)) << "of " << length << " bytes";
  }
}

TEST_F(DamagedFile, AFlippedBitIsDetectedOrDoesNoHarm) {
  const int opened = opened_with_a_flipped_bit(kInjuries, 2);
  // Most of a small file's pages are empty space.
  EXPECT_GT(opened, 0);
  EXPECT_LT(opened, kInjuries);
}

// With lists instead of a history.
class DamagedForgetfulFile : public DamagedFile {
 protected:
  DamagedForgetfulFile() { window_ = 35; }
};

TEST_F(DamagedForgetfulFile, AFlippedBitIsDetectedOrDoesNoHarm) {
  const int opened = opened_with_a_flipped_bit(kInjuries / 2, 5);
  EXPECT_GT(opened, 0);
  EXPECT_LT(opened, kInjuries / 2);
}

TEST_F(DamagedFile, GrownByGarbageIsDetectedOrDoesNoHarm) {
  for (const std::size_t more : {1u, 100u, 4096u, 100000u}) {
    write_bytes(path_, good_ + std::string(more, 'x'));
    opens(path_);
  }
}

class DamagedLog : public ModelFileDamage {
 protected:
  // A file and its log as a killed process leaves them: copied while the writer is running.
  void SetUp() override {
    const std::filesystem::path live = directory_ / "live.splitgp";
    ModelFile file = ModelFile::create(live, new_model());
    for (Eigen::Index from : {0, 20, 40, 60}) {
      append(file, from, from + 20);
      file.checkpoint({{"rows", static_cast<std::uint64_t>(from + 20)}});
    }
    good_ = bytes_of(live);
    log_ = bytes_of(live.string() + "-wal");
    ASSERT_GT(log_.size(), 4096u);
  }
  bool opens_with(const std::string& log) {
    std::filesystem::remove(path_.string() + "-shm");
    write_bytes(path_, good_);
    write_bytes(path_.string() + "-wal", log);
    return opens(path_);
  }
  std::string good_;
  std::string log_;
};

TEST_F(DamagedLog, WholeGivesTheLastCheckpoint) {
  ASSERT_TRUE(opens_with(log_));
  EXPECT_EQ(ModelFile::open(path_).position("rows").rows, 80u);
  EXPECT_FALSE(std::filesystem::exists(path_.string() + "-wal"));
  EXPECT_EQ(ModelFile::open(path_).position("rows").rows, 80u);
}

TEST_F(DamagedLog, TruncatedGivesAnEarlierCheckpoint) {
  std::mt19937_64 random(3);
  for (int i = 0; i < kInjuries / 4; ++i) {
    const std::size_t length = random() % log_.size();
    EXPECT_TRUE(opens_with(log_.substr(0, length))) << length;
  }
}

TEST_F(DamagedLog, AFlippedBitGivesAnEarlierCheckpoint) {
  std::mt19937_64 random(4);
  for (int i = 0; i < kInjuries / 4; ++i) {
    std::string log = log_;
    const std::size_t at = random() % log.size();
    log[at] = static_cast<char>(log[at] ^ (1 << random() % 8));
    EXPECT_TRUE(opens_with(log)) << at;
  }
}

}  // namespace
}  // namespace splitgp
