#include "cli/stream/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"
#include "cli/scores/score_table.h"
#include "io/column_places.h"

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

int Reading::LookingWaiter::milliseconds_to_idle() {
  if (!end_) return usual_.milliseconds_to_idle();
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*end_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

void Reading::LookingWaiter::idle() {
  if (end_) throw LookEnded();
  usual_.idle();
}

const FirstRows& Reading::look_ahead(std::size_t most) {
  const std::vector<std::string>& all = columns();
  const ColumnPlaces places(all);
  first_rows_ = {};
  delivered_ = 0;
  for (const std::string& name : all) {
    if (!places.repeated(name)) first_rows_.columns.push_back(name);
  }
  open_.reader->select({{}, first_rows_.columns});
  bool any_good = false;
  try {
    while (first_rows_.rows.size() < most) {
      // A few rows that are longer than all others are enough, and one may never end.
      if (stop_.received() != 0 || open_.source->position() > kLongestRow) break;
      LookedRow looked;
      looked.outcome = open_.reader->next(looked.row, looked.rejected);
      if (looked.outcome == RowReader::Next::end) {
        first_rows_.complete = true;
        break;
      }
      looked.front = open_.reader->front().size();
      const bool good = looked.outcome == RowReader::Next::row;
      if (good && !any_good) waiter_.begin();
      any_good = any_good || good;
      first_rows_.rows.push_back(std::move(looked));
    }
  } catch (const LookEnded&) {  // the rest has not arrived yet
  }
  waiter_.end();
  return first_rows_;
}

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
  first_rows_ = {};
  delivered_ = 0;
}

void Reading::select(const StreamModel& model) {
  selected_ = model.wanted(columns());
  open_.reader->select({{}, selected_});
  read_places_.clear();
  const ColumnPlaces looked(first_rows_.columns);
  for (const std::string& name : selected_) {
    read_places_.push_back(looked.find(name).value_or(first_rows_.columns.size()));
  }
}

std::string Reading::begin(const StreamModel& model) {
  select(model);
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
  // Of rows that were only looked at, nothing is remembered.
  if (first_rows_.rows.empty()) extend_front(open_.reader->front());
  return "";
}

void Reading::require_same_front(const StreamModel& model) const {
  const std::optional<Fingerprint> before = model.front_of(source_);
  if (!before || before->matches(open_.reader->front())) return;
  throw CommandError(kFailure, name() +
                                   ": the file was replaced since it was read: it begins "
                                   "differently; use --reread to learn all of it");
}

void Reading::extend_front(std::string_view front) {
  if (path_ != "-") sources_[source_].front.extend(front);
}

RowReader::Next Reading::next(Row& row, RejectedRow& rejected) {
  if (stop_.received() != 0) end_ = End::signal;
  if (end_ == End::input && flags_.limit && rows_ >= *flags_.limit) end_ = End::limit;
  if (end_ != End::input) return RowReader::Next::end;
  looked_front_ = 0;
  if (delivered_ == first_rows_.rows.size()) return open_.reader->next(row, rejected);
  LookedRow& looked = first_rows_.rows[delivered_++];
  const RowReader::Next outcome = looked.outcome;
  looked_front_ = looked.front;
  rejected = std::move(looked.rejected);
  row.line = looked.row.line;
  row.texts.resize(read_places_.size());
  if (outcome == RowReader::Next::row) {
    for (std::size_t k = 0; k < read_places_.size(); ++k) {
      row.texts[k] = looked.row.texts[read_places_[k]];
    }
  }
  looked = {};
  if (delivered_ == first_rows_.rows.size()) {  // the memory is not needed any more
    first_rows_.rows.clear();
    delivered_ = 0;
  }
  return outcome;
}

void Reading::count_row() {
  ++rows_;
  ++sources_[source_].rows;
  const std::string_view front = open_.reader->front();
  extend_front(looked_front_ > 0 ? front.substr(0, looked_front_) : front);
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
