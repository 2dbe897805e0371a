// --events, rejected outliers and what inspect says about drift.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/scores/score_table.h"
#include "io/csv_writer.h"
#include "support/command.h"
#include "support/random_matrix.h"
#include "support/sanitized.h"
#include "support/temporary_directory.h"

namespace splitgp::cli_events_test {

using nlohmann::json;
using testing::CommandResult;
using testing::file_text;
using ::testing::HasSubstr;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

// A sanitizer sees half of the rows.
constexpr int kChange = testing::kSanitized ? 600 : 1500;
constexpr int kRows = testing::kSanitized ? 1300 : 2600;
constexpr int kOutliers = kRows / 300;

// A step where 0.4 ≤ x < 0.6 after kChange rows, an absurd reading every 300, and a bad row.
std::string changing_rows(int count) {
  testing::Random random(1);
  CsvLine line;
  std::string text = "x,w,y\n";
  for (int i = 1; i <= count; ++i) {
    const double x = random.uniform();
    const double w = random.uniform();
    double y = std::sin(6.0 * x) + std::cos(5.0 * w) + 0.1 * random.normal();
    if (i > kChange && x >= 0.4 && x < 0.6) y += 0.3;
    if (i % 300 == 0) y += i % 600 == 0 ? 40.0 : -40.0;
    line.add(x);
    line.add(w);
    if (i == 1000) {
      line.add("oops");
    } else {
      line.add(y);
    }
    text += line.take();
  }
  return text;
}

std::vector<json> events_in(const std::filesystem::path& path) {
  std::istringstream text(file_text(path));
  std::vector<json> events;
  for (std::string line; std::getline(text, line);) events.push_back(json::parse(line));
  return events;
}

std::vector<std::string> arguments(const TemporaryDirectory& folder, const std::string& name,
                                   std::vector<std::string> more = {}) {
  std::vector<std::string> all{"stream",
                               folder / "in.csv",
                               "-t",
                               "y",
                               "--capacity",
                               "60",
                               "--outliers",
                               "reject",
                               "-m",
                               folder / (name + ".splitgp"),
                               "--events",
                               folder / (name + ".ndjson"),
                               "--predictions",
                               folder / (name + ".csv"),
                               "--rejects",
                               folder / (name + "_r.csv")};
  all.insert(all.end(), more.begin(), more.end());
  return testing::quick_training(all);
}

TEST(CliEvents, SayWhatHappenedAndWhere) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", changing_rows(kRows));
  const CommandResult result = run(folder.path(), arguments(folder, "a"));
  ASSERT_EQ(result.code, 0) << result.err;
  std::map<std::string, int> count;
  std::uint64_t last = 0;
  json drift;
  json outlier;
  json split;
  for (const json& event : events_in(folder / "a.ndjson")) {
    ++count[event["event"]];
    EXPECT_GE(event["row"], last);
    last = event["row"];
    if (event["event"] == "drift" && drift.is_null()) drift = event;
    if (event["event"] == "rejected" && event.contains("z")) outlier = event;
    if (event["event"] == "split" && split.is_null()) split = event;
  }
  ASSERT_FALSE(drift.is_null());
  EXPECT_GT(drift["row"], kChange);
  EXPECT_EQ(drift["kind"], "up");
  EXPECT_EQ(drift["output"], "y");
  EXPECT_LT(drift["region"]["x"][0], 0.6);
  EXPECT_GT(drift["region"]["x"][1], 0.4);
  EXPECT_GT(drift["size_in_noise"], 0.5);
  EXPECT_EQ(count["rejected"], 1 + kOutliers);
  EXPECT_EQ(outlier["row"], 300 * kOutliers);
  EXPECT_GT(outlier["z"]["y"], 8.0);
  EXPECT_THAT(outlier["reason"].get<std::string>(), HasSubstr("standard deviations"));
  EXPECT_THAT(result.out,
              HasSubstr(testing::kSanitized ? "read 1,300 rows: 1,295 learned, 5 rejected"
                                            : "read 2,600 rows: 2,591 learned, 9 rejected"));
  EXPECT_THAT(file_text(folder / "a_r.csv"), HasSubstr(std::to_string(300 * kOutliers) + ","));

  const CommandResult inspected =
      run(folder.path(), {"inspect", "-m", folder / "a.splitgp", "--json"});
  const json model = json::parse(inspected.out);
  EXPECT_EQ(count["split"], static_cast<int>(model["splits"].size()));
  EXPECT_EQ(count["training"], static_cast<int>(model["trainings"].size()));
  EXPECT_EQ(count["drift"], model["n_alarms"]);
  EXPECT_EQ(model["alarms"][0]["sequence"], drift["sequence"]);
  EXPECT_EQ(model["outliers_rejected"], kOutliers);
  EXPECT_EQ(model["observations"], kRows - 1 - kOutliers);
  EXPECT_GT(model["innovation"][0]["upper"], 1.0);
  const CommandResult text = run(folder.path(), {"inspect", "-m", folder / "a.splitgp"});
  EXPECT_THAT(text.out, HasSubstr("outliers not learned: " + std::to_string(kOutliers)));
  EXPECT_THAT(text.out, HasSubstr("change since"));
  // Counted from 1; nothing was rejected before the first split.
  const std::uint64_t first = model["splits"][0]["observation"];
  EXPECT_EQ(first, split["row"]);
  EXPECT_EQ(first, split["sequence"].get<std::uint64_t>() + 1);
  EXPECT_THAT(text.out, HasSubstr("the first at observation " + std::to_string(first) + ","));
  EXPECT_THAT(text.out, HasSubstr(with_separators(drift["sequence"].get<std::uint64_t>() + 1)));
  const CommandResult page = run(folder.path(), {"report", "-m", folder / "a.splitgp", "-o", "-"});
  EXPECT_EQ(page.code, 0) << page.err;
}

// As after a kill: the events since the last commit are in the file, but not in the model.
TEST(CliEvents, AreThereOnceWhenAStreamIsResumed) {
  const TemporaryDirectory folder;
  constexpr int kFirst = kChange + (testing::kSanitized ? 50 : 200);
  write_text(folder / "in.csv", changing_rows(kFirst + 300));
  ASSERT_EQ(run(folder.path(), arguments(folder, "whole")).code, 0);
  ASSERT_EQ(
      run(folder.path(), arguments(folder, "parts", {"--limit", std::to_string(kFirst)})).code, 0);
  std::ofstream(folder / "parts.ndjson", std::ios::app)
      << R"({"row":)" << kFirst + 1 << R"(,"event":"split","sequence":)" << kFirst
      << R"(,"local_gp":0,"new_local_gp":99})"
      << "\n"
      << R"({"row":)" << kFirst + 2 << R"(,"eve)";
  ASSERT_EQ(run(folder.path(), arguments(folder, "parts")).code, 0);
  const std::vector<json> whole = events_in(folder / "whole.ndjson");
  const std::vector<json> parts = events_in(folder / "parts.ndjson");
  ASSERT_EQ(whole.size(), parts.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    // Sizes come from factors, which are built anew: they differ by rounding.
    for (const char* field : {"row", "event", "sequence", "kind", "change_point", "local_gps"}) {
      EXPECT_EQ(whole[i].value(field, json()), parts[i].value(field, json())) << i;
    }
  }
}

TEST(CliEvents, AFileWithSomethingElseIsKept) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", changing_rows(100));
  ASSERT_EQ(run(folder.path(), arguments(folder, "a", {"--limit", "50"})).code, 0);
  write_text(folder / "a.ndjson", "my diary\n");
  const CommandResult result = run(folder.path(), arguments(folder, "a"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("does not belong to this stream"));
  EXPECT_EQ(file_text(folder / "a.ndjson"), "my diary\n");
}

}  // namespace splitgp::cli_events_test
