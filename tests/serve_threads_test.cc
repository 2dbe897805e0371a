// One writer, many readers: for the thread sanitizer.

#include <gtest/gtest.h>

#include <atomic>
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
  std::atomic<std::uint64_t> reads{0};
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
  for (int i = 0; i < 500; ++i) {
    const std::lock_guard<FairLock> hold(lock);
    EXPECT_EQ(readers, 0);
    ++writes;
  }
  end = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(writes, 500);
  EXPECT_GT(reads, 0u);
}

TEST(FairLock, AReaderWaitsForOneWriterAtMost) {
  FairLock lock;
  std::atomic<std::uint64_t> writes{0};
  std::atomic<bool> end{false};
  std::thread writer([&] {
    while (!end) {
      const std::lock_guard<FairLock> hold(lock);
      ++writes;
    }
  });
  std::uint64_t most = 0;
  for (int i = 0; i < 200; ++i) {
    // Between asking and getting, the writer may finish one turn and queue behind; a preempted
    // reader has not asked yet, so the median is what counts.
    const std::uint64_t before = writes;
    const std::shared_lock<FairLock> hold(lock);
    most += writes - before <= 2 ? 1 : 0;
  }
  end = true;
  writer.join();
  EXPECT_GT(most, 100u);
}

TEST(ServeThreads, LearningPredictingCommittingAndCopyingAtOnce) {
  Serving serving;
  constexpr Eigen::Index kRows = testing::kSanitized ? 150 : 600;
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
          testing::Json{{"x", testing::numbers(stream.X.leftCols(150))}}.dump();
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
