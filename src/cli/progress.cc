#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "cli/scores/score_table.h"

namespace splitgp {
namespace {

std::string duration(double seconds) {
  if (seconds < 60.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

}  // namespace

Progress::Progress()
    : terminal_(::isatty(STDERR_FILENO) == 1), start_(Clock::now()), next_(start_) {}

Progress::~Progress() { clear(); }

bool Progress::due() { return terminal_ && Clock::now() >= next_; }

void Progress::clear() {
  if (!std::exchange(drawn_, false)) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

void Progress::show(std::uint64_t rows, double recent_rmse, std::optional<double> done) {
  if (!due()) return;
  const Clock::time_point now = Clock::now();
  next_ = now + std::chrono::milliseconds(200);
  if (!std::exchange(started_, true)) {
    start_ = now;
    done_at_start_ = done;
    rows_at_start_ = rows;
  }
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string line = counted(rows, "row");
  if (done) line += fmt::format("  {:.0f} %", 100.0 * *done);
  line += fmt::format("  recent RMSE {}", short_number(recent_rmse));
  if (seconds > 1.0) {
    const double speed = static_cast<double>(rows - rows_at_start_) / seconds;
    line += fmt::format("  {} rows/s", with_separators(static_cast<std::uint64_t>(speed + 0.5)));
    if (done && done_at_start_ && *done > *done_at_start_) {
      line +=
          fmt::format("  {} left", duration(seconds * (1.0 - *done) / (*done - *done_at_start_)));
    }
  }
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace splitgp
