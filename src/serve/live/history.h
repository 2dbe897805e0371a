#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

namespace splitgp::serve {

/// How one output of a learned row had been predicted.
struct OutputError {
  double error = 0.0;           ///< Observed − mean.
  bool interval_known = false;  ///< false before the first training: nothing to judge.
  bool covered = false;         ///< Inside the 95 % interval.
};

/// Errors, coverage and speed over time: a bounded number of points, however long the service runs.
/// A point is a second at first; whenever there are too many, neighbours are joined and points
/// become twice as long. Threads: none of its own.
class History {
 public:
  static constexpr std::size_t kMostPoints = 480;
  static constexpr std::size_t kRecentRows = 1000;

  /// `local_gps`: how many there are before the first row.
  History(std::size_t outputs, double start, std::int64_t local_gps = 0);

  /// `time` in seconds since 1970; clocks that step back are taken as standing still. O(outputs)
  void add(double time, const std::vector<OutputError>& row, std::int64_t local_gps);

  /// Time goes on without rows: points without any are part of the history.
  void advance(double time);

  double seconds_per_point() const { return width_; }
  /// Points from number `first` on, as columns: see docs/service.md.
  nlohmann::ordered_json points_json(std::size_t first = 0) const;
  std::size_t size() const { return points_.size(); }

  /// Of the last kRecentRows rows; null where there are none.
  nlohmann::ordered_json recent_json() const;
  /// Over the last ten seconds.
  double rows_per_second(double time) const;
  std::uint64_t rows() const { return rows_; }

 private:
  struct Sums {
    double squared_error = 0.0;
    std::uint64_t interval_rows = 0;
    std::uint64_t covered = 0;
    void add(const OutputError& row);
  };
  struct Point {
    std::uint64_t rows = 0;
    std::int64_t local_gps = 0;
    std::vector<Sums> outputs;
  };

  void join_neighbours();

  std::size_t outputs_;
  double start_;  // of the first point
  double width_ = 1.0;
  double now_;
  std::vector<Point> points_;        // all but the last are complete
  std::vector<OutputError> recent_;  // of kRecentRows rows, the oldest is replaced
  std::deque<std::pair<std::int64_t, std::uint64_t>> seconds_;  // rows of each of the last seconds
  std::uint64_t rows_ = 0;
};

}  // namespace splitgp::serve
