#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace splitgp {

/// A status line on the terminal: how far the stream has come, and how long it will still take.
/// Silent if standard error is not a terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Draws at most a few times a second, so it may be called for every row. `done` is the share of
  /// the input read so far, if known.
  void show(std::uint64_t rows, double recent_rmse, std::optional<double> done);
  /// Removes the line, to make room for other output.
  void clear();
  /// Whether show() would draw now, so that callers need not compute its arguments in vain.
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
