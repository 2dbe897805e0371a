// Exactly once, durable, and the same numbers as the library's.

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "support/failing_disk.h"
#include "support/same_model.h"
#include "support/serving.h"

namespace splitgp::serve_learn_test {
namespace {

using testing::HttpClient;
using testing::Json;
using testing::kInfer;
using testing::kLearn;
using testing::Serving;
using testing::Stream;

Stream two_inputs(Eigen::Index n) { return testing::smooth_stream(7, 2, 1, n); }

TEST(ServeLearn, AnswersWithThePredictionMadeBefore) {
  Serving serving;
  HttpClient client(serving.port());
  const Stream stream = two_inputs(40);
  ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 0, 39)).status, 200);
  SplittingGp model(2, 1, testing::PlainMaker::options(2));
  model.update_batch(stream.X.leftCols(39), stream.Y.leftCols(39));
  const Prediction expected = model.predict(stream.X.col(39));
  const Json answer = Json::parse(client.post(kLearn, testing::learn_body(stream, 39, 1)).body);
  const Json& row = answer.at("results").at(0);
  EXPECT_EQ(row.at("sequence"), 39);
  EXPECT_EQ(row.at("mean").at(0).get<double>(), expected.mean(0, 0));
  EXPECT_NEAR(row.at("lower").at(0).get<double>(), expected.interval(0.95).lower(0, 0), 1e-12);
  EXPECT_NEAR(row.at("upper").at(0).get<double>(), expected.interval(0.95).upper(0, 0), 1e-12);
}

TEST(ServeLearn, EndsWithTheModelOfAnUndisturbedStream) {
  Serving serving;
  const Stream stream = two_inputs(120);
  {
    HttpClient client(serving.port());
    for (Eigen::Index i = 0; i < 120; i += 8) {
      ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, i, 8)).status, 200);
    }
  }
  serving.stop();
  SplittingGp expected(2, 1, testing::PlainMaker::options(2));
  expected.update_batch(stream.X, stream.Y);
  testing::expect_same_model(load(serving.path()).model, expected);
}

TEST(ServeLearn, GivesUpWhenItsFileIsDeleted) {
  Serving serving;
  const Stream stream = two_inputs(20);
  HttpClient client(serving.port());
  ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 0, 10)).status, 200);
  EXPECT_EQ(serving.running().learner().gave_up(), "");
  std::filesystem::remove(serving.path());
  EXPECT_EQ(client.post(kLearn, testing::learn_body(stream, 10, 5)).status, 503);
  EXPECT_EQ(client.post(kLearn, testing::learn_body(stream, 15, 5)).status, 503);
  EXPECT_NE(serving.running().learner().gave_up().find("deleted, moved or replaced"),
            std::string::npos);
}

TEST(ServeLearn, AnIdIsLearnedOnce) {
  Serving serving;
  const Stream stream = two_inputs(20);
  const std::string body = testing::learn_body(stream, 0, 10, "row-");
  Json first, again;
  {
    HttpClient client(serving.port());
    first = Json::parse(client.post(kLearn, body).body);
    again = Json::parse(client.post(kLearn, body).body);
  }
  serving.restart();  // the answers are in the file
  HttpClient client(serving.port());
  const Json later = Json::parse(client.post(kLearn, body).body);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_FALSE(first["results"][i].contains("repeated"));
    for (const Json* one : std::vector<const Json*>{&again, &later}) {
      Json row = (*one)["results"][i];
      EXPECT_TRUE(row["repeated"].get<bool>());
      row.erase("repeated");
      EXPECT_EQ(row, first["results"][i]);
    }
  }
  const Json meta = Json::parse(client.get("/v2/models/m").body);
  EXPECT_EQ(meta["parameters"]["observations"], 10);
  // Some known, some new, in one request.
  const Json mixed =
      Json::parse(client.post(kLearn, testing::learn_body(stream, 5, 10, "row-")).body);
  EXPECT_TRUE(mixed["results"][4].contains("repeated"));
  EXPECT_EQ(mixed["results"][5]["sequence"], 10);
  EXPECT_EQ(mixed["results"][9]["sequence"], 14);
}

TEST(ServeLearn, AnIdOfAnotherRowIsRefused) {
  Serving serving;
  HttpClient client(serving.port());
  ASSERT_EQ(client.post(kLearn, R"({"x":[[1,2]],"y":[3],"ids":["a"]})").status, 200);
  const auto other = client.post(kLearn, R"({"x":[[1,2]],"y":[4],"ids":["a"]})");
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(Json::parse(other.body)["value"], "a");
  const auto twice = client.post(kLearn, R"({"x":[[1,2],[1,3]],"y":[4,5],"ids":["b","b"]})");
  EXPECT_EQ(twice.status, 422);
  EXPECT_EQ(Json::parse(client.get("/v2/models/m").body)["parameters"]["observations"], 1);
}

TEST(ServeLearn, RepeatsInTheSameTransactionAreLearnedOnce) {
  Serving serving;
  const Stream stream = two_inputs(60);
  // Both copies of each request are on their way at the same time.
  const auto send = [&] {
    HttpClient client(serving.port());
    for (Eigen::Index i = 0; i < 60; ++i) {
      EXPECT_EQ(client.post(kLearn, testing::learn_body(stream, i, 1, "r")).status, 200);
    }
  };
  std::thread one(send), other(send);
  one.join();
  other.join();
  HttpClient client(serving.port());
  EXPECT_EQ(Json::parse(client.get("/v2/models/m").body)["parameters"]["observations"], 60);
}

TEST(ServeLearn, RemembersOnlyTheNewestIds) {
  Serving serving([](serve::RunningSettings& settings) { settings.learner.ledger.ids = 5; });
  HttpClient client(serving.port());
  const Stream stream = two_inputs(8);
  for (Eigen::Index i = 0; i < 8; ++i) {
    ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, i, 1, "r")).status, 200);
  }
  const auto answer = [&](Eigen::Index i) {
    return Json::parse(
        client.post(kLearn, testing::learn_body(stream, i, 1, "r")).body)["results"][0];
  };
  EXPECT_TRUE(answer(7).contains("repeated"));
  EXPECT_TRUE(answer(3).contains("repeated"));
  EXPECT_FALSE(answer(2).contains("repeated"));
}

TEST(ServeLearn, LabelsMayComeLater) {
  Serving serving;
  const Stream stream = two_inputs(30);
  Json said;
  {
    HttpClient client(serving.port());
    ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 0, 20)).status, 200);
    const Json body{{"x", testing::numbers(stream.X.middleCols(20, 2))}, {"ids", {"a", "b"}}};
    said = Json::parse(client.post(kInfer, body.dump()).body);
    // The prediction may be repeated too.
    EXPECT_EQ(Json::parse(client.post(kInfer, body.dump()).body), said);
    ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 25, 5)).status, 200);
  }
  serving.restart();
  HttpClient client(serving.port());
  EXPECT_NE(client.get("/metrics").body.find("\nsplitgp_waiting_rows 2\n"), std::string::npos);
  const Json label{{"id", "b"}, {"y", stream.Y(0, 21)}};
  const Json answer = Json::parse(client.post(kLearn, label.dump()).body)["results"][0];
  EXPECT_EQ(answer["sequence"], 25);
  EXPECT_EQ(answer["mean"][0], said["outputs"][0]["data"][1]);
  EXPECT_TRUE(
      Json::parse(client.post(kLearn, label.dump()).body)["results"][0].contains("repeated"));
  EXPECT_NE(client.get("/metrics").body.find("\nsplitgp_waiting_rows 1\n"), std::string::npos);
  const auto unknown = client.post(kLearn, R"({"id":"c","y":1})");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(Json::parse(unknown.body)["value"], "c");
}

TEST(ServeLearn, ALabelMayComeAfterNewerRowsAlthoughRowsAge) {
  Serving serving;
  serving.stop();
  Options options = testing::PlainMaker::options(2);
  options.max_age = 100.0;
  serving.start(
      testing::PlainMaker::wrap(ModelFile::create(serving.path(), SplittingGp(2, 1, options), {})));
  HttpClient client(serving.port());
  const auto learn = [&](const std::string& body) {
    const auto answer = client.post(kLearn, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return Json::parse(answer.body)["results"];
  };
  learn(R"({"x":[[1,2]],"y":[3],"time":[1000]})");
  ASSERT_EQ(client.post(kInfer, R"({"x":[[1,3]],"ids":["a"]})").status, 200);
  learn(R"({"x":[[2,2]],"y":[3],"time":[1010]})");
  // Its row had no time of its own.
  EXPECT_EQ(learn(R"({"id":"a","y":4})")[0]["sequence"], 2);
  // What cannot be learned is answered for itself; the rows beside it are learned.
  const Json mixed = learn(R"({"x":[[1,2],[2,2],[3,3]],"y":[3,3,3],"time":[1020,1015,1030]})");
  EXPECT_EQ(mixed[0]["sequence"], 3);
  EXPECT_NE(mixed[1]["error"].get<std::string>().find("time"), std::string::npos);
  EXPECT_EQ(mixed[2]["sequence"], 4);
  // Nothing of this request was learned.
  const auto none = client.post(kLearn, R"({"x":[[1,2],[2,2]],"y":[3,3],"time":[1020,1015]})");
  EXPECT_EQ(none.status, 422) << none.body;
  EXPECT_EQ(Json::parse(none.body)["results"].size(), 2u);
}

TEST(ServeLearn, TheOldestWaitingRowsGoFirst) {
  Serving serving([](serve::RunningSettings& settings) { settings.learner.ledger.waiting = 3; });
  HttpClient client(serving.port());
  ASSERT_EQ(client.post(kLearn, R"({"x":[[1,2]],"y":[3]})").status, 200);
  for (int i = 0; i < 5; ++i) {
    const Json body{{"x", {{1.0 * i, 0.0}}}, {"ids", {"w" + std::to_string(i)}}};
    ASSERT_EQ(client.post(kInfer, body.dump()).status, 200);
  }
  EXPECT_EQ(client.post(kLearn, R"({"id":"w1","y":1})").status, 404);
  EXPECT_EQ(client.post(kLearn, R"({"id":"w2","y":1})").status, 200);
  EXPECT_NE(client.get("/metrics").body.find("\nsplitgp_waiting_rows_dropped_total 2\n"),
            std::string::npos);
}

TEST(ServeLearn, ForgettingEmptiesTheAnswersToo) {
  Serving serving;
  HttpClient client(serving.port());
  const Stream stream = two_inputs(30);
  ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 0, 30, "r")).status, 200);
  const auto forgotten = client.post("/v2/models/m/forget", R"({"sequences":[3,4]})");
  ASSERT_EQ(forgotten.status, 200);
  EXPECT_EQ(Json::parse(forgotten.body)["observations"], 28);
  const Json again =
      Json::parse(client.post(kLearn, testing::learn_body(stream, 3, 1, "r")).body)["results"][0];
  EXPECT_TRUE(again["forgotten"].get<bool>());
  EXPECT_FALSE(again.contains("mean"));
  EXPECT_EQ(client.post("/v2/models/m/forget", R"({"sequences":[3]})").status, 422);
}

// What is answered with 503 is learned once, when the disk is well again and the client repeats it.
TEST(ServeLearn, AFullDiskIsNotAcknowledgedAndLosesNothing) {
  testing::FailingDisk disk;
  const Stream stream = two_inputs(30);
  Serving serving([](serve::RunningSettings& settings) {
    settings.learner.retry = std::chrono::milliseconds(20);
  });
  {
    HttpClient client(serving.port());
    ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 0, 10, "r")).status, 200);
    disk.fail_after(0, SQLITE_FULL);
    const auto failed = client.post(kLearn, testing::learn_body(stream, 10, 10, "r"));
    EXPECT_EQ(failed.status, 503);
    EXPECT_EQ(failed.headers.count("retry-after"), 1u);
    EXPECT_EQ(failed.body.find(serving.path().parent_path().string()), std::string::npos);
    EXPECT_EQ(client.post(kLearn, testing::learn_body(stream, 20, 10, "r")).status, 503);
    // Predictions go on.
    EXPECT_EQ(client.post(kInfer, R"({"x":[[0.1,0.2]]})").status, 200);
    disk.mend();
    int status = 503;
    for (int tries = 0; status == 503 && tries < 500; ++tries) {
      status = client.post(kLearn, testing::learn_body(stream, 10, 10, "r")).status;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(status, 200);
    EXPECT_EQ(client.post(kLearn, testing::learn_body(stream, 20, 10, "r")).status, 200);
  }
  serving.stop();
  SplittingGp expected(2, 1, testing::PlainMaker::options(2));
  expected.update_batch(stream.X, stream.Y);
  testing::expect_same_model(load(serving.path()).model, expected);
}

TEST(ServeLearn, ASnapshotIsTheModelOfItsMoment) {
  Serving serving;
  HttpClient client(serving.port());
  const Stream stream = two_inputs(50);
  ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 0, 30)).status, 200);
  const auto copy = client.get("/v2/models/m/snapshot");
  ASSERT_EQ(copy.status, 200);
  ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 30, 20)).status, 200);
  testing::TemporaryDirectory directory;
  const auto path = directory.path() / "copy.splitgp";
  std::ofstream(path, std::ios::binary) << copy.body;
  SplittingGp expected(2, 1, testing::PlainMaker::options(2));
  expected.update_batch(stream.X.leftCols(30), stream.Y.leftCols(30));
  testing::expect_same_model(load(path).model, expected);
  // Nothing is left beside the model.
  for (const auto& entry : std::filesystem::directory_iterator(serving.path().parent_path())) {
    EXPECT_EQ(entry.path().string().find("snapshot"), std::string::npos);
  }
}

// A killed server leaves a copy that was being sent; a file of the user's may have a similar name.
TEST(ServeLearn, OnlyItsOwnCopiesAreRemoved) {
  Serving serving;
  HttpClient client(serving.port());
  ASSERT_EQ(client.post(kLearn, R"({"x":[[1,2]],"y":[3]})").status, 200);
  const std::string model = serving.path().string();
  const std::vector<std::string> of_the_user{
      model + ".snapshot-monday-backup", model + ".snapshot-monday", model + ".snapshot-",
      model + ".snapshot-0123456789abcdef", model + ".snapshot-0123456789abcdeg.partial"};
  for (const std::string& path : of_the_user) std::ofstream(path) << "precious";
  const std::string left = model + ".snapshot-0123456789abcdef.partial";
  std::ofstream(left) << "half a copy";
  serving.restart();
  for (const std::string& path : of_the_user) EXPECT_TRUE(std::filesystem::exists(path)) << path;
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST(ServeLearn, AFullQueueIsToldSo) {
  Serving serving([](serve::RunningSettings& settings) { settings.learner.queue_rows = 30; });
  const Stream stream = two_inputs(2000);
  std::atomic<int> busy{0}, good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      HttpClient client(serving.port());
      for (int i = 0; i < 5; ++i) {
        const auto answer = client.post(kLearn, testing::learn_body(stream, 50 * t, 50));
        if (answer.status == 429) {
          ++busy;
          EXPECT_EQ(answer.headers.count("retry-after"), 1u);
        } else {
          EXPECT_EQ(answer.status, 200);
          ++good;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(busy, 0);
  EXPECT_GT(good, 0);
  HttpClient client(serving.port());
  EXPECT_EQ(Json::parse(client.get("/v2/models/m").body)["parameters"]["observations"], 50 * good);
}

}  // namespace
}  // namespace splitgp::serve_learn_test
