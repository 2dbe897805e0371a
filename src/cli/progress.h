#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace splitgp {

/// One line at the foot of a terminal that says how far the stream has come and how long it will
/// take. Silent if standard error is not a terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap enough for every row: looks at the clock and draws a few times a second. `done` is the
  /// share of the input that was read, if that is known.
  void show(std::uint64_t rows, double recent_rmse, std::optional<double> done);
  /// Makes room for other output.
  void clear();
  /// True if show() would draw now; so that callers need not compute its arguments.
  bool due();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
  std::optional<double> done_at_start_;
  std::uint64_t rows_at_start_ = 0;
  bool started_ = false;
};

}  // namespace splitgp
