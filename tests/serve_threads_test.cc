// One writer, many readers: for the thread sanitizer.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "serve/fair_lock.h"
#include "support/sanitized.h"
#include "support/serving.h"

namespace splitgp::serve_threads_test {
namespace {

using serve::FairLock;
using testing::HttpClient;
using testing::kInfer;
using testing::kLearn;
using testing::Serving;

TEST(FairLock, WritersAreAloneAndNobodyStarves) {
  FairLock lock;
  std::atomic<int> readers{0};
  std::atomic<bool> end{false};
  int writes = 0;  // the sanitizer would see a race
  std::vector<std::thread> threads;
  // Readers that overlap: with a lock that prefers them the writer would never get its turn.
  std::atomic<int> reads{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!end) {
        const std::shared_lock<FairLock> hold(lock);
        ++readers;
        EXPECT_GE(writes, 0);
        std::this_thread::yield();
        --readers;
        ++reads;
      }
    });
  }
  // Both get on: neither loop would end otherwise.
  constexpr int kTurns = testing::kSanitized ? 30 : 500;
  while (writes < kTurns || reads < kTurns) {
    const std::lock_guard<FairLock> hold(lock);
    EXPECT_EQ(readers, 0);
    ++writes;
  }
  end = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(FairLock, ServesInTheOrderOfArrival) {
  FairLock lock;
  std::vector<int> order;  // of those that got it, each alone or as a reader
  std::mutex order_mutex;
  const auto note = [&](int who) {
    const std::lock_guard<std::mutex> hold(order_mutex);
    order.push_back(who);
  };
  std::vector<std::thread> threads;
  lock.lock();
  // A reader between two writers, and another after them: neither writer overtakes a reader that
  // came before it, and no reader overtakes a writer.
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      if (i % 2 == 0) {
        const std::shared_lock<FairLock> hold(lock);
        note(i);
      } else {
        const std::lock_guard<FairLock> hold(lock);
        note(i);
      }
    });
    while (lock.waiting() != i + 1) std::this_thread::yield();
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

// As in the service: the writer holds the model for one update, each reader for one prediction.
TEST(ServeThreads, OneWriterAndManyReaders) {
  const char* const wanted = std::getenv("SPLITGP_READERS");  // bench/campaign asks for more
  const int readers = wanted == nullptr ? 6 : std::atoi(wanted);
  Options options;
  options.capacity = 24;
  options.max_observations = 150;
  options.training = Training::background;
  options.training_observations = 60;
  const testing::Stream stream = testing::smooth_stream(3, 2, 1, testing::kSanitized ? 300 : 3000);
  SplittingGp model(2, 1, options);
  FairLock lock;
  std::atomic<bool> learning{true};
  std::atomic<long> predicted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < readers; ++t) {
    threads.emplace_back([&, t] {
      while (learning) {
        const std::shared_lock<FairLock> hold(lock);
        const PredictionGradient found = model.predict_gradient(stream.X.middleCols(t, 4));
        EXPECT_TRUE(Eigen::MatrixXd(found.mean).allFinite());
        EXPECT_LE(model.local_gps().size(), static_cast<std::size_t>(150));
        ++predicted;
      }
    });
  }
  for (Eigen::Index i = 0; i < stream.X.cols(); ++i) {
    const std::lock_guard<FairLock> hold(lock);
    model.update(stream.X.col(i), stream.Y.col(i));
  }
  learning = false;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(model.n_seen(), static_cast<std::uint64_t>(stream.X.cols()));
  EXPECT_GT(predicted, 0);
}

TEST(ServeThreads, LearningPredictingCommittingAndCopyingAtOnce) {
  Serving serving;
  constexpr Eigen::Index kRows = testing::kSanitized ? 60 : 600;
  const testing::Stream stream = testing::smooth_stream(9, 2, 1, 2 * kRows);
  {
    HttpClient client(serving.port());
    ASSERT_EQ(client.post(kLearn, R"({"x":[[0.1,0.2]],"y":[0.3]})").status, 200);
  }
  std::atomic<int> learning{2};
  std::vector<std::thread> threads;
  for (Eigen::Index t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      HttpClient client(serving.port());
      for (Eigen::Index i = 0; i < kRows; i += 3) {
        EXPECT_EQ(client.post(kLearn, testing::learn_body(stream, t * kRows + i, 3, "r")).status,
                  200);
      }
      --learning;
    });
  }
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      HttpClient client(serving.port());
      const std::string many =
          testing::Json{{"x", testing::numbers(stream.X.leftCols(100))}}.dump();
      while (learning > 0) {
        EXPECT_EQ(client.post(kInfer, R"({"x":[[0.5,0.5]]})").status, 200);
        EXPECT_EQ(client.post(kInfer, many).status, 200);
      }
    });
  }
  threads.emplace_back([&] {
    HttpClient client(serving.port());
    while (learning > 0) {
      const int status = client.get("/v2/models/m/snapshot").status;
      EXPECT_EQ(status, 200);
      EXPECT_EQ(client.get("/metrics").status, 200);
      EXPECT_EQ(client.get("/v2/models/m").status, 200);
    }
  });
  for (std::thread& thread : threads) thread.join();
  serving.stop();
  EXPECT_EQ(load(serving.path()).model.n_observations(), static_cast<std::uint64_t>(2 * kRows + 1));
}

}  // namespace
}  // namespace splitgp::serve_threads_test
