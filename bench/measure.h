#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "splitgp/instruction_set.h"

/// What every benchmark here needs.
namespace bench {

inline double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// This thread's CPU time, so that a busy machine matters less.
inline double thread_seconds() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

/// That of all threads, for work that may have some of its own.
inline double process_seconds() { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }

/// Only shows that the benchmark runs, without the large sizes; ./test sets this.
inline bool smoke() {
  const char* value = std::getenv("SPLITGP_BENCH_SMOKE");
  return value != nullptr && *value != '\0';
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Every report says which instruction set the engine used.
inline const bool context_added = [] {
  benchmark::AddCustomContext("splitgp_instruction_set", splitgp::instruction_set());
  return true;
}();

}  // namespace bench
