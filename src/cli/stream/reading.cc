#include "cli/stream/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"
#include "cli/scores/score_table.h"

namespace splitgp {
namespace {

// The same file from another directory is the same source.
std::string source_key(const std::string& path) {
  if (path == "-") return path;
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(path, error);
  return error ? path : canonical.string();
}

std::optional<std::uint64_t> total_size(const std::vector<std::string>& paths) {
  std::uint64_t total = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    total += std::filesystem::file_size(path, error);
    if (error) return std::nullopt;
  }
  return total;
}

}  // namespace

Reading::Reading(const StreamFlags& flags, const StopSignal& stop, Waiter& waiter)
    : flags_(flags), stop_(stop), waiter_(waiter), bytes_total_(total_size(flags.paths)) {}

bool Reading::open_next() {
  close();
  if (end_ != End::input || next_path_ == flags_.paths.size()) return false;
  path_ = flags_.paths[next_path_++];
  source_ = source_key(path_);
  open_ = open_rows(path_, flags_.input_flags.options(), &waiter_);
  return true;
}

void Reading::close() {
  if (!open_.reader) return;
  waited_before_ += open_.source->waited_seconds();
  bytes_before_ += open_.source->position();
  open_ = {};
}

std::string Reading::begin(const StreamModel& model) {
  ColumnSelection selection;
  selection.numbers = model.columns().inputs;
  selection.numbers.insert(selection.numbers.end(), model.columns().outputs.begin(),
                           model.columns().outputs.end());
  if (!flags_.time_column.empty() && !flags_.test_only) {
    selection.numbers.push_back(
        find_columns("--time-column", {flags_.time_column}, open_.reader->columns()).front());
  }
  open_.reader->select(std::move(selection));

  const bool replayed = path_ != "-" || flags_.resume_stdin;
  std::uint64_t position = 0;
  if (replayed && !flags_.reread && !flags_.test_only) {
    position = model.file().position(source_).rows;
    const std::uint64_t skipped = open_.reader->skip(position);
    skipped_ += skipped;
    if (skipped < position) {
      return fmt::format(
          "{}: {} {} read earlier, but now it has only {}, so it is skipped; use --reread to learn "
          "all of it",
          name(), counted(position, "row"), position == 1 ? "was" : "were",
          with_separators(skipped));
    }
  }
  if (position > 0) require_same_front(model);
  sources_[source_] = {position, {}};
  extend_front();
  return "";
}

void Reading::require_same_front(const StreamModel& model) const {
  const std::optional<Fingerprint> before = model.front_of(source_);
  if (!before || before->matches(open_.reader->front())) return;
  throw CommandError(kFailure, name() +
                                   ": the file was replaced since it was read: it begins "
                                   "differently; use --reread to learn all of it");
}

void Reading::extend_front() {
  if (path_ != "-") sources_[source_].front.extend(open_.reader->front());
}

RowReader::Next Reading::next(Row& row, RejectedRow& rejected) {
  if (stop_.received() != 0) end_ = End::signal;
  if (end_ == End::input && flags_.limit && rows_ >= *flags_.limit) end_ = End::limit;
  return end_ == End::input ? open_.reader->next(row, rejected) : RowReader::Next::end;
}

void Reading::count_row() {
  ++rows_;
  ++sources_[source_].rows;
  extend_front();
}

double Reading::busy_seconds() const {
  const double waited = waited_before_ + (open_.reader ? open_.source->waited_seconds() : 0.0);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  return elapsed.count() - waited;
}

std::optional<double> Reading::share_read() const {
  if (!bytes_total_ || *bytes_total_ == 0 || !open_.reader) return std::nullopt;
  const auto read = static_cast<double>(bytes_before_ + open_.source->position());
  return std::min(1.0, read / static_cast<double>(*bytes_total_));
}

}  // namespace splitgp
