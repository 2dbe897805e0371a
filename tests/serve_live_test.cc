// What the live page shows: history, rows, fields, maps, and that all of it stays bounded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "charts/embedded.h"
#include "serve/live/assets.h"
#include "serve/live/feed.h"
#include "serve/live/fields.h"
#include "serve/live/history.h"
#include "support/live_feed.h"
#include "support/random_matrix.h"

namespace splitgp::serve {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using testing::Fed;
using ::testing::HasSubstr;

json as_json(const nlohmann::ordered_json& value) { return json::parse(value.dump()); }

TEST(LiveHistory, CountsWhatItWasTold) {
  History history(2, 1000.2);
  history.add(1000.3, {{3.0, true, true}, {1.0, false, false}}, 1);
  history.add(1000.9, {{-4.0, true, false}, {1.0, false, false}}, 2);
  history.add(1003.0, {{1.0, true, true}, {2.0, false, false}}, 3);
  const json points = as_json(history.points_json());
  EXPECT_EQ(points["seconds_per_point"], 1.0);
  EXPECT_THAT(points["time"], ElementsAre(1000.0, 1001.0, 1002.0, 1003.0));
  EXPECT_THAT(points["rows_per_second"], ElementsAre(2, 0, 0, nullptr));
  EXPECT_THAT(points["local_gps"], ElementsAre(2, 2, 2, 3));
  EXPECT_NEAR(points["outputs"][0]["rmse"][0], std::sqrt(12.5), 1e-5);
  EXPECT_EQ(points["outputs"][0]["rmse"][1], nullptr) << "no rows, no error";
  EXPECT_THAT(points["outputs"][0]["coverage"], ElementsAre(0.5, nullptr, nullptr, 1));
  EXPECT_THAT(points["outputs"][1]["rmse"], ElementsAre(nullptr, nullptr, nullptr, nullptr));
  EXPECT_THAT(points["outputs"][1]["coverage"], ElementsAre(nullptr, nullptr, nullptr, nullptr))
      << "before the first training there is nothing to judge";
  const json recent = as_json(history.recent_json());
  EXPECT_EQ(recent[0]["rows"], 3);
  EXPECT_NEAR(recent[0]["coverage"], 2.0 / 3.0, 1e-5);
  EXPECT_EQ(recent[1]["rmse"], nullptr);
}

TEST(LiveHistory, StaysBoundedAndLosesNoRow) {
  History history(1, 0.0);
  std::uint64_t rows = 0;
  double squares = 0.0;
  testing::Random random(3);
  for (double time = 0.5; time < 200'000.0; time += random.uniform(1.0, 200.0)) {
    const double error = random.normal();
    squares += error * error;
    ++rows;
    history.add(time, {{error, true, std::abs(error) < 1.96}}, 1);
    ASSERT_LE(history.size(), History::kMostPoints);
  }
  const json points = as_json(history.points_json());
  const double width = points["seconds_per_point"];
  EXPECT_GE(width, 200'000.0 / History::kMostPoints);
  double sum = 0.0;
  std::uint64_t judged = 0;
  for (std::size_t i = 0; i < points["time"].size(); ++i) {
    const std::uint64_t here = points["outputs"][0]["interval_rows"][i];
    judged += here;
    if (here == 0) continue;
    const double rmse = points["outputs"][0]["rmse"][i];
    sum += rmse * rmse * static_cast<double>(here);
    EXPECT_EQ(points["time"][i], width * static_cast<double>(i));
  }
  EXPECT_EQ(judged, rows);
  EXPECT_NEAR(sum / squares, 1.0, 1e-5) << "points have seven digits";
  EXPECT_EQ(history.recent_json()[0]["rows"], History::kRecentRows);
}

TEST(LiveHistory, TakesClocksThatStepBackAndLongSilence) {
  History history(1, 100.0);
  history.add(101.0, {{1.0, true, true}}, 1);
  history.add(50.0, {{1.0, true, true}}, 1);
  EXPECT_EQ(history.points_json()["rows_per_second"].size(), 2u);
  history.advance(1e9);  // decades
  EXPECT_LE(history.size(), History::kMostPoints);
  EXPECT_EQ(history.rows(), 2u);
  EXPECT_EQ(history.rows_per_second(1e9), 0.0);
}

TEST(LiveFeed, TellsWhatHappened) {
  Fed fed;
  fed.learn(300);
  fed.feed.rejected("a gap");
  const json state = json::parse(fed.feed.state_json());
  EXPECT_EQ(state["name"], "m");
  EXPECT_EQ(state["model"]["seen"], 300);
  EXPECT_EQ(state["model"]["local_gps"], fed.file.model().n_local());
  EXPECT_EQ(state["figures"]["learned"], 300);
  EXPECT_EQ(state["figures"]["rejected"], 1);
  EXPECT_EQ(state["inputs"][1]["name"], "x1");
  EXPECT_EQ(state["outputs"][0]["name"], "y");
  // The latest rows are the last ones, oldest first.
  const json& rows = state["rows"];
  ASSERT_EQ(rows["sequence"].size(), RowsSeen::kLatest);
  EXPECT_EQ(rows["sequence"].back(), 299);
  EXPECT_LT(rows["outputs"][0]["lower"].back(), rows["outputs"][0]["upper"].back());
  // The form begins with the newest row and has room for nearly all.
  const json& field = state["what_if"]["fields"][0];
  EXPECT_EQ(field["kind"], "number");
  EXPECT_NEAR(field["low"], -1.0, 0.15);
  EXPECT_NEAR(field["high"], 1.0, 0.15);

  const json tick = json::parse(fed.feed.tick_json());
  EXPECT_EQ(tick["model"]["seen"], 300);
  EXPECT_EQ(tick["rows"]["sequence"].back(), 299);
  EXPECT_EQ(tick["points"]["time"].back(), state["points"]["time"].back());
  EXPECT_EQ(tick["relevance"].size(), 2u);
  EXPECT_LT(fed.feed.tick_json().size(), 20'000u) << "it is sent to every viewer every second";
}

TEST(LiveFeed, NothingGrowsWithTheStream) {
  Fed fed;
  fed.learn(400);
  const std::size_t early = fed.feed.state_json().size();
  fed.learn(2000);
  EXPECT_LT(fed.feed.state_json().size(), early + 5000);
}

TEST(LiveFeed, WithoutAModelThereIsLittleToSay) {
  LiveFeed feed({"m", "0"}, [](const auto&) { return false; });
  const json state = json::parse(feed.state_json());
  EXPECT_EQ(state["model"], nullptr);
  EXPECT_FALSE(state.contains("points"));
  EXPECT_EQ(json::parse(feed.tick_json())["model"], nullptr);
  EXPECT_EQ(feed.map_json(0, 1), "null");
}

TEST(LiveFeed, MapsArePredictionsOfTheModel) {
  Fed fed(3);
  fed.learn(200);
  const json map = json::parse(fed.feed.map_json(2, 0));
  ASSERT_EQ(map["maps"].size(), 1u);
  const json& one = map["maps"][0];
  EXPECT_THAT(one["inputs"], ElementsAre(2, 0));
  EXPECT_EQ(map["owned"].size(), static_cast<std::size_t>(fed.file.model().n_local()));
  const std::size_t width = one["x"].size();
  for (const std::size_t place : {std::size_t{0}, width + 3, width * width - 1}) {
    Eigen::VectorXd x(3);
    x << one["y"][place / width].get<double>(), map["median"][1].get<double>(),
        one["x"][place % width].get<double>();
    const Prediction prediction = fed.file.model().predict(x);
    // Charts have five digits of their range.
    EXPECT_NEAR(one["outputs"][0]["mean"][place], prediction.mean(0, 0), 1e-4);
    EXPECT_NEAR(one["outputs"][0]["sd"][place], std::sqrt(prediction.variance(0, 0)), 1e-4);
  }
  // The same map again costs nothing while nothing was learned.
  const int reads = fed.reads;
  EXPECT_EQ(json::parse(fed.feed.map_json(2, 0)), map);
  EXPECT_EQ(fed.reads, reads + 1);
}

TEST(LiveFeed, RefusesMapsThatThereAreNot) {
  Fed fed;
  fed.learn(50);
  for (const auto& [a, b] : {std::pair{0, 0}, {0, 2}, {-1, 0}, {7, 1}}) {
    try {
      fed.feed.map_json(a, b);
      ADD_FAILURE() << a << ' ' << b;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("between 0 and 1"));
    }
  }
}

TEST(LiveFeed, AModelOfOneInputHasALine) {
  Fed fed(1);
  fed.learn(100);
  EXPECT_TRUE(json::parse(fed.feed.map_json(0, 0)).contains("line"));
}

TEST(LiveFeed, ForgottenRowsAreNotShown) {
  Fed fed;
  fed.learn(100);
  ForgetResult result;
  {
    const std::unique_lock lock(fed.mutex);
    result = fed.file.model().forget_before(90);
  }
  fed.feed.forgot(result);
  const json state = json::parse(fed.feed.state_json());
  EXPECT_EQ(state["rows"]["sequence"].size(), 10u);
  EXPECT_EQ(state["rows"]["sequence"][0], 90);
  const json map = json::parse(fed.feed.map_json(0, 1));
  EXPECT_EQ(map["observations"]["outputs"][0].size(), 20u) << "the ten, in both samples";
}

TEST(LiveFeed, AlarmsAreToldOnce) {
  Fed fed;
  fed.learn(10);
  Alarm alarm;
  alarm.sequence = 9;
  alarm.size_in_noise = 3.0;
  const double value = 0.0;
  LearnedRow row;
  row.x = row.y = row.mean = row.sd = row.lower = row.upper = row.z = {&value, 1};
  const std::vector<double> two{0.0, 0.0};
  row.x = two;
  row.alarms = {&alarm, 1};
  for (int i = 0; i < 500; ++i) fed.feed.learned(row);
  const std::vector<std::string> taken = fed.feed.take_alarms();
  ASSERT_EQ(taken.size(), 100u) << "nobody took them: the oldest are dropped";
  EXPECT_EQ(json::parse(taken.front())["size_in_noise"], 3.0);
  EXPECT_TRUE(fed.feed.take_alarms().empty());
}

TEST(LiveFields, AskForWhatAPersonKnows) {
  table::Recipe::Parts parts;
  parts.columns = {
      {.name = "when", .use = table::Use::time},
      {.name = "site", .use = table::Use::category, .levels = {"north", "south"}, .width = 2},
      {.name = "x", .use = table::Use::number},
      {.name = "y"}};
  table::TimeColumns time;
  time.columns = {0};
  time.origin = 1.7e9;
  parts.times = {time};
  parts.targets = {3};
  const table::Recipe recipe(parts);
  ObservedInputs observed;
  const auto inputs = static_cast<Eigen::Index>(recipe.input_names().size());
  observed.median = Eigen::VectorXd::Zero(inputs);
  observed.ranges.assign(static_cast<std::size_t>(inputs), Range{-1.0, 5.0});
  std::vector<double> newest(static_cast<std::size_t>(inputs), 7.0);
  for (const table::Feature& feature : recipe.features()) {
    if (feature.name == "site") recipe.set_feature(feature, 1.0, newest);
  }
  const json fields = as_json(fields_json(recipe, observed, newest));
  ASSERT_EQ(fields.size(), 3u);
  std::map<std::string, json> by_kind;
  for (const json& field : fields) by_kind[field["kind"]] = field;
  EXPECT_EQ(by_kind["category"]["levels"], json({"north", "south"}));
  EXPECT_EQ(by_kind["category"]["value"], 1.0);
  EXPECT_EQ(by_kind["time"]["time"]["columns"][0]["part"], "stamp");
  EXPECT_EQ(by_kind["number"]["value"], 7.0);
  EXPECT_EQ(by_kind["number"]["high"], 7.0) << "the range holds the value";
}

TEST(LiveAssets, AreAllThereAndKnowTheirTypes) {
  const std::string page(live_asset("")->bytes);
  EXPECT_THAT(page, HasSubstr("assets/live.js"));
  // Nothing in the page itself that its security policy would have to allow.
  EXPECT_EQ(page.find("<style"), std::string::npos);
  EXPECT_EQ(page.find(" style="), std::string::npos);
  EXPECT_EQ(page.find(" onclick="), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos) << "nothing from elsewhere";
  for (const char* name : {"live.css", "live.js", "plotly.js", "licence.txt"}) {
    const std::optional<Asset> asset = live_asset(name);
    ASSERT_TRUE(asset) << name;
    EXPECT_TRUE(asset->etag.starts_with('"') && asset->etag.ends_with('"')) << name;
    EXPECT_GT(asset->bytes.size(), 500u) << name;
    EXPECT_THAT(std::string(asset->content_type), HasSubstr("charset=utf-8")) << name;
  }
  EXPECT_TRUE(live_asset("plotly.js")->gzipped);
  EXPECT_THAT(gunzipped(live_asset("plotly.js")->bytes).substr(0, 200), HasSubstr("plotly.js"));
  EXPECT_NE(live_asset("live.js")->etag, live_asset("live.css")->etag);
  EXPECT_FALSE(live_asset("../live.js"));
}

}  // namespace
}  // namespace splitgp::serve
