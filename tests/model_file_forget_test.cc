// The file forgets too: what it holds is the model, and nothing else, to the byte.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/api/internals.h"
#include "splitgp/error.h"
#include "splitgp/model_file.h"
#include "support/fixed_theta.h"
#include "support/forgetful_file.h"
#include "support/golden.h"
#include "support/invariants.h"
#include "support/random_matrix.h"
#include "support/same_model.h"
#include "support/sanitized.h"
#include "support/temporary_directory.h"

namespace splitgp::model_file_forget_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using testing::Invariants;
using testing::Random;

// A double as SQLite stores it.
std::uint64_t stored(double value) {
  return __builtin_bswap64(std::bit_cast<std::uint64_t>(value));
}

// All sequences of eight bytes in the file and in its log.
class Bytes {
 public:
  explicit Bytes(const std::filesystem::path& path) {
    for (const char* suffix : {"", "-wal"}) {
      std::ifstream file(path.string() + suffix, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      for (std::size_t i = 0; i + 8 <= bytes.size(); ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, 8);
        words_.insert(word);
      }
    }
  }
  bool contain(double value) const { return words_.contains(stored(value)); }

 private:
  std::unordered_set<std::uint64_t> words_;
};

class Rows {
 public:
  explicit Rows(std::uint64_t seed) : random_(seed) {}
  void learn(ModelFile& file, Index count, SplittingGp* other = nullptr) {
    for (Index i = 0; i < count; ++i) {
      const VectorXd x = VectorXd::NullaryExpr(2, [&] { return random_.normal(); });
      const VectorXd y = VectorXd::NullaryExpr(1, [&] { return random_.normal(); });
      values_.push_back({x(0), x(1), y(0)});
      const auto time = static_cast<double>(values_.size());
      file.model().update(x, y, 0.0, time);
      if (other != nullptr) other->update(x, y, 0.0, time);
    }
  }
  // Those that should be gone and are not; and none that should be there is missing.
  int left_behind(const ModelFile& file, const std::filesystem::path& path) const {
    const Bytes bytes(path);
    std::vector<bool> held(values_.size(), false);
    for (const std::uint64_t one : file.model().observations().sequence) held[one] = true;
    int found = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      for (const double value : values_[i]) {
        if (held[i]) {
          EXPECT_TRUE(bytes.contain(value)) << "observation " << i;
        } else if (bytes.contain(value)) {
          ++found;
        }
      }
    }
    return found;
  }

 private:
  Random random_;
  std::vector<std::vector<double>> values_;
};

Options small() {
  Options options = testing::fixed_theta();
  options.split_limit = 12;
  return options;
}

// A random share of what is held.
std::vector<std::uint64_t> some_of(const SplittingGp& model, Random& random, double share) {
  std::vector<std::uint64_t> some = model.observations().sequence;
  std::erase_if(some, [&](std::uint64_t) { return random.uniform() > share; });
  return some;
}

class FileForgets : public ::testing::Test {
 protected:
  testing::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "model.splitgp";
};

TEST_F(FileForgets, NumbersAreGoneFromItsBytes) {
  // Windows move rows from page to page at their end; forgetting at random thins pages out.
  for (const int window : {700, 0}) {
    std::filesystem::remove(path_);
    Options options = small();
    options.window_size = window;
    ModelFile file = ModelFile::create(path_, SplittingGp(2, 1, options));
    Rows rows(3);
    Random random(4);
    constexpr int kRounds = testing::kSanitized ? 12 : 40;
    for (int round = 0; round < kRounds; ++round) {
      rows.learn(file, 90);
      if (window == 0 && round > 3) file.model().forget(some_of(file.model(), random, 0.12));
      file.checkpoint();
      if (round % 4 == 3) {
        ASSERT_EQ(rows.left_behind(file, path_), 0) << "round " << round << ", window " << window;
      }
    }
    // One more time: all of it.
    file.model().forget_before(file.model().n_seen());
    file.checkpoint();
    EXPECT_EQ(rows.left_behind(file, path_), 0);
    EXPECT_EQ(load(path_).model.n_observations(), 0u);
  }
}

// The lists of numbers in the file are texts: the values that the experts keep of the last rows, of
// the first one and of the range are gone as well.
TEST_F(FileForgets, ThereIsNoTextOfTheNumbersEither) {
  for (const Index count : {9, 40, 300}) {
    const std::filesystem::path path = path_.string() + std::to_string(count);
    Random random(8);
    ModelFile file = ModelFile::create(path, SplittingGp(2, 1, small()));
    std::vector<VectorXd> rows;
    Index largest = 0;
    for (Index i = 0; i < count; ++i) {
      rows.push_back(VectorXd::NullaryExpr(3, [&] { return random.normal(); }));
      if (rows.back()(2) > rows[static_cast<std::size_t>(largest)](2)) largest = i;
      file.model().update(rows.back().head(2), rows.back().tail(1));
    }
    file.checkpoint();
    std::set<std::uint64_t> gone{0, 4, static_cast<std::uint64_t>(largest),
                                 static_cast<std::uint64_t>(count - 1)};
    const auto times_in_file = [&](double value) {
      std::string bytes;
      for (const char* suffix : {"", "-wal"}) {
        std::ifstream part(path.string() + suffix, std::ios::binary);
        bytes.append(std::istreambuf_iterator<char>(part), {});
      }
      std::array<char, 32> digits{};
      const std::string text(digits.data(),
                             std::to_chars(digits.data(), digits.data() + 32, value).ptr);
      return bytes.find(text) != std::string::npos;
    };
    EXPECT_TRUE(times_in_file(rows.back()(2))) << "or this test looks in the wrong place";
    file.model().forget(std::vector<std::uint64_t>(gone.begin(), gone.end()));
    file.checkpoint();
    for (const std::uint64_t one : gone) {
      for (const double value : rows[one])
        EXPECT_FALSE(times_in_file(value)) << count << " " << one;
    }
  }
}

// A file that was written by appending alone may hold copies of its first rows.
TEST_F(FileForgets, NumbersOfAnOlderFileAreGoneToo) {
  Rows rows(5);
  {
    ModelFile file = ModelFile::create(path_, SplittingGp(2, 1, small()));
    rows.learn(file, 500);
    file.checkpoint();
    sqlite3* handle = nullptr;  // what a version without secure_delete would have left
    sqlite3_open(path_.c_str(), &handle);
    sqlite3_exec(handle,
                 "PRAGMA secure_delete = OFF; CREATE TABLE mine AS SELECT * FROM observation; "
                 "DROP TABLE mine;",
                 nullptr, nullptr, nullptr);
    sqlite3_close(handle);
  }
  ModelFile file = ModelFile::open(path_);
  std::vector<std::uint64_t> first(200);
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = i;
  file.model().forget(first);
  file.checkpoint();
  EXPECT_EQ(rows.left_behind(file, path_), 0);
}

TEST_F(FileForgets, LoadsAndGoesOnAsIfNothingHadHappened) {
  Options options = small();
  options.window_size = 150;
  options.max_age = 140.0;
  SplittingGp uninterrupted(2, 1, options);
  Rows rows(6);
  Random random(7);
  ModelFile::create(path_, uninterrupted);
  for (int round = 0; round < 20; ++round) {
    ModelFile file = ModelFile::open(path_);
    for (int part = 0; part < 2; ++part) {
      rows.learn(file, 35, &uninterrupted);
      const std::vector<std::uint64_t> some = some_of(uninterrupted, random, 0.05);
      file.model().forget(some);
      uninterrupted.forget(some);
      file.checkpoint();
    }
    const SplittingGp loaded = load(path_).model;
    ASSERT_EQ(Invariants::violated(loaded), "");
    testing::expect_same_model(uninterrupted, loaded);
    EXPECT_EQ(uninterrupted.n_observations(), loaded.n_observations());
    testing::expect_same_predictions(uninterrupted, loaded, Eigen::MatrixXd::Random(2, 20));
    if (HasFailure()) return;
  }
}

TEST_F(FileForgets, APlainFileLearnsToForget) {
  SplittingGp uninterrupted(2, 1, small());
  Rows rows(8);
  Random random(9);
  {
    ModelFile file = ModelFile::create(path_, uninterrupted);
    rows.learn(file, 100, &uninterrupted);
    file.checkpoint();
    rows.learn(file, 100, &uninterrupted);
    const std::vector<std::uint64_t> some = some_of(uninterrupted, random, 0.3);
    file.model().forget(some);
    uninterrupted.forget(some);
    rows.learn(file, 100, &uninterrupted);
    file.checkpoint();
  }
  testing::expect_same_model(uninterrupted, load(path_).model);
  // And a model that has forgotten before it gets a file.
  std::filesystem::remove(path_);
  { const ModelFile file = ModelFile::create(path_, uninterrupted); }
  testing::expect_same_model(uninterrupted, load(path_).model);
}

TEST_F(FileForgets, ReusesItsSpace) {
  Options options = small();
  options.window_size = 400;
  ModelFile file = ModelFile::create(path_, SplittingGp(2, 1, options));
  Rows rows(10);
  std::uintmax_t size = 0;
  for (int round = 0; round < 40; ++round) {
    rows.learn(file, 100);
    file.checkpoint();
    EXPECT_EQ(std::filesystem::file_size(path_.string() + "-wal"), 0u);
    if (round == 12) size = std::filesystem::file_size(path_);
  }
  EXPECT_LE(std::filesystem::file_size(path_), size + size / 10);
}

// The log stays while someone reads, and the numbers with it; the next checkpoint clears both.
TEST_F(FileForgets, AReaderMayDelayIt) {
  Options options = small();
  options.window_size = 100;
  ModelFile file = ModelFile::create(path_, SplittingGp(2, 1, options));
  Rows rows(11);
  rows.learn(file, 200);
  file.checkpoint();
  {
    sqlite3* reader = nullptr;
    sqlite3_open_v2(path_.c_str(), &reader, SQLITE_OPEN_READONLY, nullptr);
    sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM observation", nullptr, nullptr, nullptr);
    rows.learn(file, 60);
    EXPECT_NO_THROW(file.checkpoint());
    sqlite3_close(reader);
  }
  rows.learn(file, 10);
  file.checkpoint();
  EXPECT_EQ(rows.left_behind(file, path_), 0);
}

TEST_F(FileForgets, OldFormatsLearnToForget) {
  for (const char* name : {"model_v1.splitgp", "model_v2.splitgp"}) {
    std::filesystem::remove(path_);
    std::filesystem::copy_file(testing::golden::directory() / name, path_);
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    ModelFile file = ModelFile::open(path_);
    std::vector<std::uint64_t> first(30);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = 2 * i;
    file.model().forget(first);
    file.checkpoint();
    const Bytes bytes(path_);
    for (const std::uint64_t one : first) {
      const VectorXd y = testing::golden::y(static_cast<Index>(one));
      EXPECT_FALSE(bytes.contain(y(0)) || bytes.contain(y(1))) << one;
    }
    const SplittingGp loaded = load(path_).model;
    EXPECT_EQ(loaded.n_observations(), 70u);
    EXPECT_EQ(Invariants::violated(loaded), "");
    testing::expect_same_model(file.model(), loaded);
  }
}

TEST_F(FileForgets, TheOwnerViewFollows) {
  testing::make_forgetful_file(path_);
  const SplittingGp model = load(path_).model;
  sqlite3* handle = nullptr;
  sqlite3_open_v2(path_.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
  std::vector<int> owned(static_cast<std::size_t>(model.n_local()), 0);
  sqlite3_exec(
      handle, "SELECT local_gp, count(*) FROM owner GROUP BY local_gp",
      [](void* counts, int, char** row, char**) {
        (*static_cast<std::vector<int>*>(counts))[std::stoul(row[0])] = std::stoi(row[1]);
        return 0;
      },
      &owned, nullptr);
  sqlite3_close(handle);
  for (const LocalGpSummary& local : model.local_gps())
    EXPECT_EQ(local.owned, owned[static_cast<std::size_t>(local.local_gp)]);
}

}  // namespace
}  // namespace splitgp::model_file_forget_test
