#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "serve/route.h"

namespace splitgp::serve {

/// Counts requests: durations by route and status, and how many are in progress. A request costs a
/// few atomic additions.
class Metrics {
 public:
  void began() { ++in_progress_; }
  void finished(Route route, int status, double seconds);
  void add_predictions(std::uint64_t points) { predictions_ += points; }
  std::uint64_t in_progress() const { return in_progress_.load(); }
  std::uint64_t predictions() const { return predictions_.load(); }
  std::uint64_t requests() const;

  /// In Prometheus' text format.
  std::string to_text() const;

  /// The statuses that are told apart; others count as the last.
  static constexpr std::array<int, 16> kStatuses{200, 204, 304, 400, 401, 403, 404, 405,
                                                 408, 413, 415, 422, 429, 431, 503, 500};
  /// Upper bounds in seconds.
  static constexpr std::array<double, 12> kBuckets{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                                   0.01,   0.025,   0.05,   0.1,   1.0,    10.0};

 private:
  struct Histogram {
    std::array<std::atomic<std::uint64_t>, kBuckets.size() + 1> counts{};
    std::atomic<std::uint64_t> nanoseconds{0};
  };
  std::array<std::array<Histogram, kStatuses.size()>, kRoutes> histograms_;
  std::atomic<std::uint64_t> in_progress_{0};
  std::atomic<std::uint64_t> predictions_{0};
};

/// One line of Prometheus' text format with its help and type.
void add_metric(std::string& to, const char* name, const char* type, const char* help,
                double value);

}  // namespace splitgp::serve
