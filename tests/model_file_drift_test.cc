// What the groups of cells know, part after part (store/drift_parts.h).

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "core/api/internals.h"
#include "splitgp/model_file.h"
#include "store/drift_parts.h"
#include "support/fixed_theta.h"
#include "support/random_matrix.h"
#include "support/sanitized.h"
#include "support/temporary_directory.h"

namespace splitgp::model_file_drift_test {
namespace {

using Eigen::Index;
using testing::Random;

double number(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  sqlite3_open(path.c_str(), &database);
  sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW) << sql;
  const double result = sqlite3_column_double(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return result;
}

void expect_equal(const Drift& a, const Drift& b) {
  ASSERT_EQ(a.size(), b.size());
  for (Index i = 0; i < a.size(); ++i) {
    const Drift::Group& s = a.group(i);
    const Drift::Group& t = b.group(i);
    EXPECT_EQ(std::tie(s.used, s.parent, s.local_gp, s.alarmed, s.last),
              std::tie(t.used, t.parent, t.local_gp, t.alarmed, t.last));
    for (Index o = 0; s.used && o < a.outputs(); ++o) {
      EXPECT_EQ(a.watch(i, o).scores.value, b.watch(i, o).scores.value);
      EXPECT_EQ(a.watch(i, o).scores.rows, b.watch(i, o).scores.rows);
      for (std::size_t kind = 0; kind < Drift::kKinds; ++kind) {
        const Cusum& sum = a.watch(i, o).sums[kind];
        const Cusum& other = b.watch(i, o).sums[kind];
        EXPECT_EQ(std::tie(sum.evidence, sum.error, sum.rows, sum.since),
                  std::tie(other.evidence, other.error, other.rows, other.since));
      }
    }
  }
}

SplittingGp small_cells(int window_size) {
  Options options;
  options.split_limit = 6;
  options.window_size = window_size;
  return SplittingGp(2, 1, testing::fixed_theta(options));
}

class ModelFileDrift : public ::testing::TestWithParam<int> {
 protected:
  void learn(ModelFile& file, Index rows) {
    for (Index i = 0; i < rows; ++i) {
      const Eigen::VectorXd x = random_.uniform_matrix(2, 1);
      file.model().update(x, Eigen::VectorXd::Constant(1, x.sum() + 0.1 * random_.normal()));
    }
  }
  const testing::TemporaryDirectory directory_;
  const std::filesystem::path path_ = directory_ / "model.splitgp";
  Random random_{1};
};

// Also if the file is closed so often that no turn through all groups ends in between.
TEST_P(ModelFileDrift, EveryGroupComesBackAndTheTableStaysSmall) {
  const int sessions = testing::kSanitized ? 30 : 60;
  { ModelFile::create(path_, small_cells(GetParam())); }
  for (int session = 0; session < sessions; ++session) {
    ModelFile file = ModelFile::open(path_);
    for (int checkpoint = 0; checkpoint < 3; ++checkpoint) {
      learn(file, 1 + session % 4);
      file.checkpoint();
    }
    expect_equal(Internals::of(load(path_).model).monitor.drift,
                 Internals::of(file.model()).monitor.drift);
    learn(file, 1);  // which is lost
  }
  const std::filesystem::path once = directory_ / "once.splitgp";
  ModelFile::create(once, load(path_).model);
  const std::string bytes = "SELECT sum(length(groups)) FROM drift_part";
  EXPECT_LT(number(path_, bytes), 5.0 * number(once, bytes));
  EXPECT_GT(number(path_, "SELECT min(number) FROM drift_part"), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Windows, ModelFileDrift, ::testing::Values(0, 60));

TEST(PackedNumbers, ComeBack) {
  store::PackedNumbers packed;
  const std::uint64_t counts[] = {
      0, 1, 127, 128, 300, std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()};
  const double reals[] = {0.0, -0.0, 1.5, -1e300, std::numeric_limits<double>::denorm_min()};
  for (const std::uint64_t count : counts) packed.count(count);
  for (const double real : reals) packed.real(real);
  store::NumberUnpacker back(packed.bytes());
  for (const std::uint64_t count : counts) EXPECT_EQ(back.count(), count);
  for (const double real : reals) EXPECT_EQ(back.real(), real);
  EXPECT_TRUE(back.good() && back.done());
  EXPECT_EQ(back.count(), 0u);
  EXPECT_FALSE(back.good());
}

TEST(PackedNumbers, RefuseWhatIsNoNumber) {
  for (const std::string& bytes : {std::string("\x80"), std::string(10, '\xff'),
                                   std::string(9, '\xff') + "\x02", std::string(12, '\x80')}) {
    store::NumberUnpacker packed(bytes);
    EXPECT_EQ(packed.count(), 0u);
    EXPECT_FALSE(packed.good());
    EXPECT_EQ(packed.real(), 0.0);
  }
}

}  // namespace
}  // namespace splitgp::model_file_drift_test
