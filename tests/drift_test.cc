#include "core/watch/drift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/watch/student_t.h"
#include "support/sanitized.h"

namespace splitgp::drift_test {

using Eigen::Index;

// More inputs than slabs are made of.
constexpr Index kNoSlabs = Slabs::kMostInputs + 1;

std::vector<Index> changed_cells(const Drift& drift, const Drift::Found& found, Index owner,
                                 const std::vector<Index>& inside = {}) {
  std::vector<Index> cells, silent;
  drift.changed_cells(found, owner, inside, cells, silent);
  return cells;
}

// Cells that come from splitting the last one, then the first one, and so on.
void split_until(Drift& drift, Index cells) {
  drift.start();
  for (Index next = 1; next < cells; ++next) drift.split(next % 2 == 0 ? 0 : next - 1, next);
}

int levels(const Drift& drift, Index local_gp) {
  int count = 0;
  for (Index i = drift.group_of(local_gp); i != Drift::kNone; i = drift.group(i).parent) ++count;
  return count;
}

// Every group has as many cells as chains lead through it.
void expect_consistent(const Drift& drift, const std::vector<Index>& local_gps) {
  std::vector<Index> cells(static_cast<std::size_t>(drift.size()), 0);
  for (const Index local_gp : local_gps) {
    EXPECT_LE(levels(drift, local_gp), Drift::kLevels);
    EXPECT_EQ(drift.group(drift.group_of(local_gp)).local_gp, local_gp);
    for (Index i = drift.group_of(local_gp); i != Drift::kNone; i = drift.group(i).parent)
      ++cells[static_cast<std::size_t>(i)];
  }
  for (Index i = 0; i < drift.size(); ++i) {
    if (!drift.group(i).used) continue;
    EXPECT_EQ(drift.group(i).cells, cells[static_cast<std::size_t>(i)]) << i;
    if (i != Drift::kStream) {
      EXPECT_GT(cells[static_cast<std::size_t>(i)], 0) << i;
    }
  }
}

TEST(Drift, NormalScoreIsTheNormalQuantile) {
  for (const double nu : {2.5, 3.0, 5.0, 20.0}) {
    for (const double z : {0.1, 0.5, 1.0, 2.0, 3.0}) {
      const double t = z * std::sqrt(nu / (nu - 2.0));
      const double exact =
          student_t_half_width(student_t_level(t, nu), std::numeric_limits<double>::infinity());
      EXPECT_NEAR(normal_score(z, nu), std::min(exact, 3.0), 0.05) << nu << " " << z;
      EXPECT_EQ(normal_score(-z, nu), -normal_score(z, nu));
    }
  }
  EXPECT_EQ(normal_score(1.7, std::numeric_limits<double>::infinity()), 1.7);
  EXPECT_EQ(normal_score(1e200, 3.0), 3.0);
  EXPECT_EQ(normal_score(-std::numeric_limits<double>::infinity(), 3.0), -3.0);
  EXPECT_EQ(normal_score(std::numeric_limits<double>::quiet_NaN(), 3.0), 0.0);
}

// The bound is Lorden's; that it is not far off shows that the detectors do watch.
TEST(Drift, FalseAlarmsAreAsRareAsStated) {
  constexpr double kRowsPerFalseAlarm = 500.0;
  constexpr int kRows = testing::kSanitized ? 50000 : 200000;
  Drift drift(kNoSlabs, 1, kRowsPerFalseAlarm);
  split_until(drift, 20);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int alarms = 0;
  for (int t = 0; t < kRows; ++t) {
    const Score score{normal_score(normal(random), std::numeric_limits<double>::infinity()), 0.0};
    const auto found = drift.observe(static_cast<Index>(random() % 20),
                                     static_cast<std::uint64_t>(t), std::span(&score, 1));
    if (!found) continue;
    ++alarms;
    drift.settle(*found, changed_cells(drift, *found, 0));
  }
  EXPECT_LE(alarms, kRows / kRowsPerFalseAlarm);
  EXPECT_GE(alarms, kRows / kRowsPerFalseAlarm / 100.0);
}

TEST(Drift, FindsAShiftInOneCellAndWhereItBegan) {
  Drift drift(kNoSlabs, 2, 1e6);
  split_until(drift, 10);
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::optional<Drift::Found> found;
  std::uint64_t t = 0;
  constexpr std::uint64_t kChange = 5000;
  for (; t < 8000 && !found; ++t) {
    const auto cell = static_cast<Index>(random() % 10);
    const double shift = t >= kChange && cell == 3 ? -2.0 : 0.0;
    const double z = normal(random) + shift;
    const Score scores[] = {{normal_score(normal(random), 1e9), 0.0},
                            {normal_score(z, 1e9), 7 * z}};
    found = drift.observe(cell, t, scores);
  }
  ASSERT_TRUE(found);
  EXPECT_GE(t, kChange);
  EXPECT_LE(t, kChange + 400);  // 40 of its rows
  EXPECT_EQ(found->output, 1);
  EXPECT_EQ(found->kind, DriftKind::down);
  EXPECT_NEAR(static_cast<double>(found->change_point), static_cast<double>(kChange), 60);
  EXPECT_NEAR(found->size, -14.0, 4.0);
  EXPECT_EQ(changed_cells(drift, *found, 3), std::vector<Index>{3});
  EXPECT_TRUE(drift.suspects(3));
  EXPECT_FALSE(drift.suspects(9));
  drift.settle(*found, changed_cells(drift, *found, 3));
  EXPECT_FALSE(drift.suspects(3));
}

// No cell gets enough rows to notice by itself.
TEST(Drift, FindsAShiftThatManyCellsShare) {
  constexpr Index kCells = 400;
  Drift drift(kNoSlabs, 1, 1e6);
  drift.start();
  for (Index next = 1; next < kCells; ++next) drift.split((next - 1) / 2, next);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::optional<Drift::Found> found;
  std::uint64_t t = 0;
  for (; t < 3000 && !found; ++t) {
    const auto cell = static_cast<Index>(random() % kCells);
    const double z = normal(random) + (t >= 1000 ? 2.0 : 0.0);
    const Score score{normal_score(z, 1e9), z};
    found = drift.observe(cell, t, std::span(&score, 1));
  }
  ASSERT_TRUE(found);
  EXPECT_GE(t, 1000u);
  EXPECT_LE(t, 1040u);
  EXPECT_EQ(found->kind, DriftKind::up);
}

TEST(Drift, SlabsCutEachInputInThreeWays) {
  StreamStatistics inputs(2);
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 2000; ++i)
    inputs.add(Eigen::Vector2d(5.0 + normal(random), 1e6 * normal(random)));
  const Slabs slabs(2);
  EXPECT_EQ(slabs.count(), 2 * (4 + 8 + 16));
  std::vector<int> rows(static_cast<std::size_t>(slabs.count()));
  std::vector<Index> found(static_cast<std::size_t>(slabs.of_row()));
  for (int i = 0; i < 16000; ++i) {
    slabs.find(Eigen::Vector2d(5.0 + normal(random), 1e6 * normal(random)), inputs, found);
    for (const Index slab : found) ++rows[static_cast<std::size_t>(slab)];
  }
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(rows[28 * k + i], 4000, 500);
    for (std::size_t i = 4; i < 12; ++i) EXPECT_NEAR(rows[28 * k + i], 2000, 400);
    for (std::size_t i = 12; i < 28; ++i) EXPECT_NEAR(rows[28 * k + i], 1000, 300);
  }
  slabs.find(Eigen::Vector2d(-1e150, 1e150), inputs, found);
  EXPECT_EQ(found, (std::vector<Index>{0, 4, 12, 28 + 3, 28 + 11, 28 + 27}));
  EXPECT_EQ(Slabs(17).count(), 0);
  // A constant input is in one slab of each partition.
  slabs.find(Eigen::Vector2d(0.0, 0.0), StreamStatistics(2), found);
  EXPECT_EQ(found.size(), 6u);
}

// Cells are many, and cut in another direction; the slab is what has changed.
TEST(Drift, FindsAShiftInASlab) {
  constexpr Index kCells = 200;
  Drift drift(1, 1, 1e6);
  drift.start();
  for (Index next = 1; next < kCells; ++next) drift.split((next - 1) / 2, next);
  std::mt19937_64 random(10);
  std::normal_distribution<double> normal;
  StreamStatistics inputs(1);
  for (int i = 0; i < 1000; ++i) inputs.add(Eigen::VectorXd::Constant(1, normal(random)));
  std::vector<Index> slabs(3);
  std::optional<Drift::Found> found;
  std::uint64_t t = 0;
  for (; t < 3000 && !found; ++t) {
    const double x = normal(random);
    drift.slabs().find(Eigen::VectorXd::Constant(1, x), inputs, slabs);
    const double z = normal(random) + (t >= 1000 && std::abs(x) < 0.15 ? 2.0 : 0.0);
    const Score score{normal_score(z, 1e9), z};
    found = drift.observe(static_cast<Index>(random() % kCells), t, std::span(&score, 1), slabs);
  }
  ASSERT_TRUE(found);
  EXPECT_GE(t, 1000u);
  EXPECT_LE(t, 1400u);  // 50 rows of what has changed
  EXPECT_TRUE(drift.is_slab(found->group));
  const std::vector<Index> inside{4, 5, 6};
  for (const Index cell : changed_cells(drift, *found, 4, inside)) {
    EXPECT_GE(cell, 4);
    EXPECT_LE(cell, 6);
  }
}

TEST(Slabs, ContainsWhatTheyFind) {
  constexpr Index kInputs = 3;
  const Slabs slabs(kInputs);
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal(5.0, 3.0);
  StreamStatistics inputs(kInputs);
  const auto draw = [&] {
    return Eigen::VectorXd::NullaryExpr(kInputs, [&] { return normal(random); });
  };
  for (int i = 0; i < 100; ++i) inputs.add(draw());
  std::vector<Index> found(static_cast<std::size_t>(slabs.of_row()));
  for (int i = 0; i < 50; ++i) {
    const Eigen::VectorXd x = draw();
    slabs.find(x, inputs, found);
    for (Index slab = 0; slab < slabs.count(); ++slab) {
      const bool is_found = std::find(found.begin(), found.end(), slab) != found.end();
      EXPECT_EQ(slabs.contains(slab, x, inputs), is_found) << slab;
    }
  }
}

TEST(Drift, FindsWiderErrors) {
  Drift drift(kNoSlabs, 1, 1e6);
  split_until(drift, 5);
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::optional<Drift::Found> found;
  std::uint64_t t = 0;
  for (; t < 3000 && !found; ++t) {
    const double z = normal(random) * (t >= 1000 ? 2.5 : 1.0);
    const Score score{normal_score(z, 1e9), z};
    found = drift.observe(static_cast<Index>(random() % 5), t, std::span(&score, 1));
  }
  ASSERT_TRUE(found);
  EXPECT_GE(t, 1000u);
  EXPECT_LE(t, 1080u);
  EXPECT_EQ(found->kind, DriftKind::wider);
  EXPECT_GT(found->size, 1.5);
}

// A model file refuses sums that are not finite.
TEST(Drift, SumsOfTheLargestErrorsAreFinite) {
  Drift drift(kNoSlabs, 1, 1e300);  // so that no alarm ends them
  drift.start();
  for (const double error : {1e150, 1e200, -1e300, std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
    for (std::uint64_t i = 0; i < 50; ++i) drift.observe(0, i, std::vector<Score>{{2.5, error}});
    for (const Cusum& sum : drift.watch(drift.group_of(0), 0).sums)
      EXPECT_TRUE(std::isfinite(sum.error)) << error;
  }
}

TEST(Drift, SingleAbsurdReadingsAreNoAlarm) {
  Drift drift(kNoSlabs, 1, 1e6);
  split_until(drift, 5);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (std::uint64_t t = 0; t < 20000; ++t) {
    const double z = t % 50 == 0 ? 1e6 : normal(random);
    const Score score{normal_score(z, 1e9), z};
    EXPECT_FALSE(drift.observe(static_cast<Index>(random() % 5), t, std::span(&score, 1))) << t;
  }
}

TEST(Drift, AnAlarmIsRaisedOnceWhileItGoesOn) {
  Drift drift(kNoSlabs, 1, 1e6);
  drift.start();
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  int alarms = 0;
  const auto run = [&](std::uint64_t from, std::uint64_t to, double shift) {
    for (std::uint64_t t = from; t < to; ++t) {
      const double z = normal(random) + shift;
      const Score score{normal_score(z, 1e9), z};
      if (drift.observe(0, t, std::span(&score, 1))) ++alarms;
    }
  };
  run(0, 1000, 2.0);
  EXPECT_EQ(alarms, 1);
  run(1000, 1500, 0.0);  // over
  EXPECT_EQ(alarms, 1);
  run(1500, 2000, 2.0);  // and a new one
  EXPECT_EQ(alarms, 2);
}

// A stream whose newest cell is always the one that is split, as when an input is the time.
TEST(Drift, ChainsOfGroupsStayShort) {
  Drift drift(kNoSlabs, 1, 1e6);
  drift.start();
  std::vector<Index> local_gps{0};
  for (Index next = 1; next < 2000; ++next) {
    drift.split(next - 1, next);
    local_gps.push_back(next);
  }
  expect_consistent(drift, local_gps);
  // The newest one's groups grow from one cell to all of them.
  EXPECT_EQ(levels(drift, 1999), Drift::kLevels);
}

TEST(Drift, CellsComeAndGo) {
  std::mt19937_64 random(7);
  Drift drift(kNoSlabs, 1, 1e6);
  drift.start();
  std::vector<Index> local_gps{0};
  for (int step = 0; step < 3000; ++step) {
    const auto n = std::ssize(local_gps);
    const auto one = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
    if (n < 3 || random() % 100 < (step < 1500 ? 60 : 40)) {
      drift.split(one, n);
      local_gps.push_back(n);
    } else {
      drift.remove(one);  // the last one gets its number, as in a merge
      drift.renumber(n - 1, one);
      local_gps.pop_back();
    }
    const Score score{0.1, 0.1};
    EXPECT_FALSE(drift.observe(0, static_cast<std::uint64_t>(step), std::span(&score, 1)));
  }
  expect_consistent(drift, local_gps);
  // Numbers of groups are used again.
  EXPECT_LT(drift.size(), 4000);
}

TEST(Drift, StatisticsHaveAChiSquareBand) {
  Drift drift(kNoSlabs, 1, 1e9);
  drift.start();
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  int inside = 0;
  for (std::uint64_t t = 0; t < 60000; ++t) {
    const Score score{normal(random), 0.0};
    drift.observe(0, t, std::span(&score, 1));
    const InnovationStatistics now = drift.stream_statistics(0);
    EXPECT_EQ(now.rows, t + 1);
    if (now.mean_square > now.lower && now.mean_square < now.upper) ++inside;
  }
  // Successive values hang together over a hundred rows, so there are some 600 of them.
  EXPECT_NEAR(inside / 60000.0, 0.95, 0.03);
}

TEST(Drift, StoredGroupsMustBeATree) {
  Drift drift(kNoSlabs, 1, 1e6);
  split_until(drift, 6);
  drift.remove(5);
  const auto copy = [&](auto&& change) {
    Drift restored(kNoSlabs, 1, 1e6);
    for (Index i = 0; i < drift.size(); ++i) {
      Drift::Group group;
      group.used = drift.group(i).used;
      group.parent = drift.group(i).parent;
      group.local_gp = drift.group(i).local_gp;
      change(i, group);
      restored.restore(group, std::vector<Drift::Watch>{drift.watch(i, 0)});
    }
    return restored;
  };
  Drift same = copy([](Index, Drift::Group&) {});
  EXPECT_TRUE(same.restored(5));
  expect_consistent(same, {0, 1, 2, 3, 4});
  EXPECT_TRUE(same.changed().empty());
  EXPECT_FALSE(copy([](Index, Drift::Group&) {}).restored(6));
  EXPECT_FALSE(copy([](Index, Drift::Group&) {}).restored(4));
  for (Index damaged = 0; damaged < drift.size(); ++damaged) {
    if (!drift.group(damaged).used) continue;
    EXPECT_FALSE(copy([&](Index i, Drift::Group& group) {
                   if (i == damaged) group.parent = i;  // a ring
                 }).restored(5));
    EXPECT_FALSE(copy([&](Index i, Drift::Group& group) {
                   if (i == damaged) group.parent = 1000;
                 }).restored(5));
    EXPECT_FALSE(copy([&](Index i, Drift::Group& group) {
                   if (i == damaged) group.local_gp = group.local_gp == 0 ? 1 : 0;
                 }).restored(5));
  }
}

}  // namespace splitgp::drift_test
