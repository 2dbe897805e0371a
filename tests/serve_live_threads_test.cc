// The thread that learns feeds the live page while others read it.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/live_feed.h"

namespace splitgp::serve {
namespace {

using nlohmann::json;

TEST(LiveFeedThreads, ReadersSeeWholeRowsWhileOneThreadLearns) {
  testing::Fed fed;
  fed.learn(30);
  std::atomic<bool> done = false;
  const auto check = [](const json& told) {
    const json& rows = told["rows"];
    const std::size_t count = rows["sequence"].size();
    for (const char* part : {"observed", "mean", "lower", "upper", "z"}) {
      EXPECT_EQ(rows["outputs"][0][part].size(), count);
    }
    for (std::size_t i = 1; i < count; ++i) {
      EXPECT_EQ(rows["sequence"][i].get<int>(), rows["sequence"][i - 1].get<int>() + 1);
    }
  };
  // The model's lock here is not a fair one.
  const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  std::vector<std::thread> readers;
  readers.emplace_back([&] {
    while (!done) {
      check(json::parse(fed.feed.state_json()));
      rest();
    }
  });
  readers.emplace_back([&] {
    while (!done) {
      check(json::parse(fed.feed.tick_json()));
      rest();
    }
  });
  readers.emplace_back([&] {
    while (!done) {
      const json map = json::parse(fed.feed.map_json(0, 1));
      EXPECT_EQ(map["maps"].size(), 1u);
      fed.feed.take_alarms();
      rest();
    }
  });
  for (int i = 0; i < 20; ++i) {
    fed.learn(10);
    fed.feed.rejected("a gap");
    fed.feed.predicted();
    if (i != 10) continue;
    {
      const std::unique_lock lock(fed.mutex);
      fed.file.model().forget_before(50);
    }
    fed.feed.forgot({});
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(json::parse(fed.feed.state_json())["figures"]["learned"], 230);
}

}  // namespace
}  // namespace splitgp::serve
