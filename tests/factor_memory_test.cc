#include "core/base/factor_memory.h"

#include <gtest/gtest.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace splitgp::factor_memory_test {
namespace {

struct Piece {
  char* memory;
  std::size_t bytes;
  char mark;

  // Its first and last bytes: a piece that overlapped another would find them changed.
  void write() const {
    const std::size_t ends = std::min<std::size_t>(bytes, 256);
    std::memset(memory, mark, ends);
    std::memset(memory + bytes - ends, mark, ends);
  }
  bool unchanged() const {
    const auto is_mark = [this](char byte) { return byte == mark; };
    const std::size_t ends = std::min<std::size_t>(bytes, 256);
    return std::all_of(memory, memory + ends, is_mark) &&
           std::all_of(memory + bytes - ends, memory + bytes, is_mark);
  }
};

// Takes and gives back at random, up to 40 pieces at a time, some larger than a usual chunk.
void churn(unsigned seed, int steps) {
  std::mt19937 random(seed);
  std::vector<Piece> pieces;
  for (int step = 0; step < steps; ++step) {
    if (pieces.size() < 40 && random() % 2 == 0) {
      const std::size_t bytes = (std::size_t{1} << (random() % 25)) + random() % 1000;
      Piece piece{static_cast<char*>(factor_memory::allocate(bytes)), bytes,
                  static_cast<char>(random())};
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(piece.memory) % 64, 0U);
      piece.write();
      pieces.push_back(piece);
    } else if (!pieces.empty()) {
      std::swap(pieces[random() % pieces.size()], pieces.back());
      ASSERT_TRUE(pieces.back().unchanged()) << step;
      factor_memory::release(pieces.back().memory, pieces.back().bytes);
      pieces.pop_back();
    }
    if (step % 100 == 0) factor_memory::touch_ahead();
  }
  for (const Piece& piece : pieces) {
    ASSERT_TRUE(piece.unchanged());
    factor_memory::release(piece.memory, piece.bytes);
  }
}

TEST(FactorMemory, PiecesAreAlignedAndDoNotOverlap) { churn(1, 3000); }

TEST(FactorMemory, WhatIsGivenBackIsUsedAgain) {
#if !defined(__linux__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "factors come from the system's allocator here";
#endif
  std::set<void*> seen;
  for (int round = 0; round < 50; ++round) {
    std::vector<void*> pieces;
    // Growing pieces fit only where smaller ones were given back and merged.
    for (std::size_t i = 1; i <= 8; ++i) pieces.push_back(factor_memory::allocate(i << 17));
    seen.insert(pieces.begin(), pieces.end());
    for (std::size_t i : {3, 1, 8, 2, 6, 7, 5, 4}) factor_memory::release(pieces[i - 1], i << 17);
  }
  // The first rounds may find holes that other tests left.
  EXPECT_LE(seen.size(), 24U);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
// Whether all of it has been touched already.
bool is_resident(const char* memory, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory) / page * page;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
  std::vector<unsigned char> pages((end - begin + page - 1) / page);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(begin), end - begin, pages.data()), 0);
  return std::all_of(pages.begin(), pages.end(), [](unsigned char one) { return one & 1; });
}

// Until the stream has grown by half: what is taken by then has been touched, and no more than
// that.
TEST(FactorMemory, WhatWasTouchedAheadIsTakenNext) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<char*> pieces;
  const auto take = [&] {
    return pieces.emplace_back(static_cast<char*>(factor_memory::allocate(kPiece)));
  };
  for (int i = 0; i < 40; ++i) std::memset(take(), 1, kPiece);
  factor_memory::touch_ahead();
  factor_memory::touch_ahead();  // nothing more to do
  std::size_t resident = 0;
  while (is_resident(take(), kPiece)) ++resident;
  EXPECT_GE(resident, 16U);       // all that is touched at most, …
  EXPECT_LE(resident, 16U + 12);  // … the rest of a large page or two, and holes that tests left
  for (char* piece : pieces) factor_memory::release(piece, kPiece);
}
#endif

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
// However often memory is touched ahead of pieces that come and go, large ones among them, no more
// than one chunk waits for them.
TEST(FactorMemory, TouchingAheadTakesNoMoreAndMore) {
  const auto resident = [] {
    long pages = 0, ignored = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    EXPECT_EQ(std::fscanf(file, "%ld %ld", &ignored, &pages), 2);
    std::fclose(file);
    return static_cast<std::size_t>(pages * sysconf(_SC_PAGESIZE));
  };
  churn(5, 300);
  const std::size_t before = resident();
  for (unsigned seed = 6; seed < 66; ++seed) {
    churn(seed, 300);
    factor_memory::touch_ahead();
  }
  // A chunk for each round would be a gigabyte; the system's allocator may keep some that were
  // freed.
  EXPECT_LT(resident(), before + (std::size_t{256} << 20));
}
#endif

TEST(FactorMemory, ServesSeveralThreads) {
  std::vector<std::thread> threads;
  for (unsigned seed : {2, 3, 4}) threads.emplace_back([seed] { churn(seed, 1000); });
  for (std::thread& thread : threads) thread.join();
}

// The thread sanitizer does not support a child of a process with several threads; with the address
// sanitizer factors come from its allocator, which a fork may leave locked.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST(FactorMemory, AChildProcessFindsItUnlocked) {
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) factor_memory::release(factor_memory::allocate(1 << 16), 1 << 16);
  });
  for (int trial = 0; trial < 20; ++trial) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      factor_memory::release(factor_memory::allocate(1 << 16), 1 << 16);
      _exit(0);
    }
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << trial;
  }
  stop = true;
  busy.join();
}
#endif

}  // namespace
}  // namespace splitgp::factor_memory_test
