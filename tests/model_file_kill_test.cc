#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/api/internals.h"
#include "splitgp/model_file.h"
#include "support/kill.h"
#include "support/same_model.h"
#include "support/sanitized.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using testing::TemporaryDirectory;
using testing::Victim;

constexpr int kKills = testing::kSanitized ? 30 : 200;

// Row i of an endless source. The second output says which row it is.
Eigen::VectorXd x_of(std::uint64_t i) {
  const double t = static_cast<double>(i);
  return Eigen::Vector2d(std::sin(0.7 * t), std::cos(1.9 * t + 1.0));
}
Eigen::VectorXd y_of(std::uint64_t i) {
  const double noise = std::fmod(0.618034 * static_cast<double>(i), 1.0) - 0.5;
  return Eigen::Vector2d(std::sin(3.0 * x_of(i).sum()) + 0.2 * noise, static_cast<double>(i));
}

SplittingGp new_model() {
  Options options;
  options.split_limit = 10;  // a split every few observations
  options.training_observations = 40;
  return SplittingGp(2, 2, options);
}

// Continues from the last checkpoint, and reports each checkpoint when it is done.
void stream(const std::filesystem::path& path, std::uint64_t seed, const Victim::Report& report) {
  std::mt19937_64 random(seed);
  ModelFileOptions options;
  options.durability = seed % 2 == 0 ? Durability::full : Durability::normal;
  ModelFile file = std::filesystem::exists(path) ? ModelFile::open(path, options)
                                                 : ModelFile::create(path, new_model(), options);
  std::uint64_t row = file.position("rows").rows;
  report(row);
  for (;;) {
    const std::uint64_t batch = 1 + random() % 20;
    for (std::uint64_t i = 0; i < batch; ++i, ++row) file.model().update(x_of(row), y_of(row));
    file.checkpoint({{"rows", row}});
    report(row);
  }
}

// Every row once, in its place, with its own values.
void expect_rows(const SplittingGp& model, std::uint64_t rows) {
  ASSERT_EQ(model.n_observations(), rows);
  std::uint64_t owned = 0;
  for (const LocalGp& local : Internals::of(model).partition.local_gps) {
    for (Eigen::Index j = 0; j < local.size(); ++j) {
      ASSERT_EQ(local.inputs().row(j).transpose(), x_of(local.sequence(j)));
      ASSERT_EQ(local.outputs().row(j).transpose(), y_of(local.sequence(j)));
      owned += local.owns(j) ? 1 : 0;
    }
  }
  ASSERT_EQ(owned, rows);
}

TEST(ModelFileKill, NothingIsLostAndNothingLearnedTwice) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "model.splitgp";
  std::mt19937_64 random(1);
  std::uint64_t acknowledged = 0;
  std::uint64_t checkpoints = 0;
  for (int kills = 0; kills < kKills; ++kills) {
    SCOPED_TRACE("kill " + std::to_string(kills));
    Victim victim([&, seed = random()](const auto& report) { stream(path, seed, report); });
    // After a number of reports, so that the stream makes progress however slow the machine, and
    // then at any moment: while it learns, splits, trains, commits; after none, also while it
    // opens.
    std::uint64_t number = 0;
    for (std::uint64_t reports = random() % 6; reports > 0; --reports) {
      ASSERT_TRUE(victim.next(number)) << "the process ended by itself";
      ASSERT_GE(number, acknowledged) << "acknowledged rows are lost";
      acknowledged = number;
      ++checkpoints;
    }
    usleep(static_cast<useconds_t>(random() % 15000));
    ASSERT_TRUE(victim.kill()) << "the process ended by itself";
    while (victim.next(number)) {
      ASSERT_GE(number, acknowledged);
      acknowledged = number;
      ++checkpoints;
    }
    if (!std::filesystem::exists(path)) continue;
    const LoadedModel loaded = load(path);
    // At most one more checkpoint, which was done but could no longer be reported.
    const std::uint64_t rows = loaded.positions.contains("rows") ? loaded.positions.at("rows") : 0;
    ASSERT_GE(rows, acknowledged) << "acknowledged rows are lost";
    ASSERT_LE(rows, acknowledged + 20) << "rows that were never acknowledged";
    expect_rows(loaded.model, rows);
  }
  EXPECT_GT(checkpoints, std::uint64_t{kKills});

  const ModelFile file = ModelFile::open(path);
  SplittingGp uninterrupted = new_model();
  for (std::uint64_t i = 0; i < file.model().n_observations(); ++i) {
    uninterrupted.update(x_of(i), y_of(i));
  }
  testing::expect_same_model(uninterrupted, file.model());
  Eigen::MatrixXd queries(2, 50);
  for (Eigen::Index i = 0; i < 50; ++i) queries.col(i) = 0.9 * x_of(static_cast<std::uint64_t>(i));
  testing::expect_same_predictions(uninterrupted, file.model(), queries);
  RecordProperty("rows", std::to_string(file.model().n_observations()));
  RecordProperty("checkpoints", std::to_string(checkpoints));
}

SplittingGp new_forgetful_model() {
  Options options;
  options.split_limit = 10;
  options.training = Training::off;
  options.window_size = 60;
  return SplittingGp(2, 2, options);
}

// What is taken back after row `row`, by hand: every 16th row takes back the one before it.
void learn_and_forget(SplittingGp& model, std::uint64_t row) {
  model.update(x_of(row), y_of(row));
  if (row % 16 == 15) model.forget(std::vector{row - 1});
}

void stream_forgetting(const std::filesystem::path& path, std::uint64_t seed,
                       const Victim::Report& report) {
  std::mt19937_64 random(seed);
  ModelFileOptions options;
  options.durability = seed % 2 == 0 ? Durability::full : Durability::normal;
  ModelFile file = std::filesystem::exists(path)
                       ? ModelFile::open(path, options)
                       : ModelFile::create(path, new_forgetful_model(), options);
  std::uint64_t row = file.position("rows").rows;
  report(row);
  for (;;) {
    const std::uint64_t batch = 1 + random() % 20;
    for (std::uint64_t i = 0; i < batch; ++i, ++row) learn_and_forget(file.model(), row);
    file.checkpoint({{"rows", row}});
    report(row);
  }
}

// Before or after a checkpoint that forgets, never in between; and the next writer leaves nothing
// of what is forgotten in the bytes.
TEST(ModelFileKill, ForgettingIsDoneOrNotDone) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "model.splitgp";
  std::mt19937_64 random(3);
  std::uint64_t acknowledged = 0;
  SplittingGp uninterrupted = new_forgetful_model();
  std::uint64_t learned = 0;
  constexpr std::uint64_t kEnough = 200;  // a busy machine takes more kills to get there
  for (int kills = 0; kills < kKills / 2 || (learned <= kEnough && kills < 10 * kKills); ++kills) {
    SCOPED_TRACE("kill " + std::to_string(kills));
    Victim victim(
        [&, seed = random()](const auto& report) { stream_forgetting(path, seed, report); });
    std::uint64_t number = 0;
    for (std::uint64_t reports = random() % 6; reports > 0; --reports) {
      ASSERT_TRUE(victim.next(number)) << "the process ended by itself";
      ASSERT_GE(number, acknowledged) << "acknowledged rows are lost";
      acknowledged = number;
    }
    usleep(static_cast<useconds_t>(random() % 10000));
    ASSERT_TRUE(victim.kill()) << "the process ended by itself";
    while (victim.next(number)) acknowledged = number;
    if (!std::filesystem::exists(path)) continue;
    const LoadedModel loaded = load(path);
    const std::uint64_t rows = loaded.positions.contains("rows") ? loaded.positions.at("rows") : 0;
    ASSERT_GE(rows, acknowledged);
    ASSERT_LE(rows, acknowledged + 20);
    for (; learned < rows; ++learned) learn_and_forget(uninterrupted, learned);
    testing::expect_same_model(uninterrupted, loaded.model);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(learned, kEnough);
  { const ModelFile file = ModelFile::open(path); }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::uint64_t forgotten = 0;
  std::vector<bool> held(learned, false);
  for (const std::uint64_t one : uninterrupted.observations().sequence) held[one] = true;
  for (std::uint64_t i = 0; i < learned; ++i) {
    const auto word = __builtin_bswap64(std::bit_cast<std::uint64_t>(y_of(i)(0)));
    const bool found =
        bytes.find(std::string_view(reinterpret_cast<const char*>(&word), 8)) != std::string::npos;
    EXPECT_EQ(found, static_cast<bool>(held[i])) << i;
    forgotten += held[i] ? 0 : 1;
  }
  EXPECT_GT(forgotten, 100u);
}

TEST(ModelFileKill, AFileIsCompleteOrNotThere) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "model.splitgp";
  Options options;
  options.split_limit = 10;
  options.training = Training::off;
  SplittingGp model(2, 2, options);
  for (std::uint64_t i = 0; i < 3000; ++i) model.update(x_of(i), y_of(i));
  std::mt19937_64 random(2);
  int absent = 0;
  for (int kills = 0; kills < kKills / 10; ++kills) {
    Victim victim([&](const auto& report) {
      report(0);
      const ModelFile file = ModelFile::create(path, model);
      report(1);
      pause();
    });
    std::uint64_t number = 0;
    ASSERT_TRUE(victim.next(number));
    usleep(static_cast<useconds_t>(random() % 60000));
    ASSERT_TRUE(victim.kill());
    if (std::filesystem::exists(path)) {
      expect_rows(load(path).model, 3000);
      std::filesystem::remove(path);
    } else {
      ++absent;
      EXPECT_FALSE(victim.next(number)) << "it said that it was done";
    }
  }
  RecordProperty("absent", absent);
}

}  // namespace
}  // namespace splitgp
