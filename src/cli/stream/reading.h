#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/stop_signal.h"
#include "cli/stream/fingerprint.h"
#include "cli/stream/first_rows.h"
#include "cli/stream/model.h"
#include "cli/stream/stream.h"
#include "io/open_rows.h"

namespace splitgp {

/// The reading part of a stream: opens the inputs one after the other, skips the rows that earlier
/// runs have read, and decides when to stop.
///
/// Calls that read may throw WaitEnded when a signal arrives.
class Reading {
 public:
  enum class End { input, limit, signal };

  /// What this run has read of a source.
  struct Source {
    std::uint64_t rows = 0;  ///< Those of earlier runs included.
    Fingerprint front;       ///< Empty for standard input, which is not checked.
  };

  /// `stop` and `waiter` must outlive it.
  Reading(const StreamFlags& flags, const StopSignal& stop, Waiter& waiter);

  /// Reads up to `most` first rows of the open input: of a file all of them, of a live pipe what
  /// arrives within a moment of the first row. next() will deliver them.
  const FirstRows& look_ahead(std::size_t most);
  std::size_t looked_rows() const { return first_rows_.rows.size(); }
  /// Opens the next input. False after the last one, after the limit and after a signal.
  bool open_next();
  /// Selects the model's columns and skips the rows that were read before. Returns why nothing can
  /// be read from the input, or an empty string. Throws CommandError if the file was replaced.
  std::string begin(const StreamModel& model);
  /// Selects the columns again, after the model has grown.
  void select(const StreamModel& model);
  /// The next row of the open input; Next::end also at the limit and after a signal.
  RowReader::Next next(Row& row, RejectedRow& rejected);
  /// To be called when the row from next() was learned or rejected: it will not be read again.
  void count_row();

  const std::string& name() const { return open_.source->name(); }  ///< For messages.
  const std::string& source() const { return source_; }             ///< Its key in the model file.
  const std::vector<std::string>& columns() { return open_.reader->columns(); }
  /// Whose texts a row has, in this order.
  const std::vector<std::string>& selected() const { return selected_; }

  End end() const { return end_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t skipped() const { return skipped_; }
  const std::map<std::string, Source>& sources() const { return sources_; }
  /// Seconds since the start, excluding those spent waiting for input.
  double busy_seconds() const;
  /// The share of all inputs that has been read, if their sizes are known.
  std::optional<double> share_read() const;

 private:
  void close();
  // While looking ahead, a wait ends after a moment; otherwise it is the stream's.
  class LookingWaiter : public Waiter {
   public:
    explicit LookingWaiter(Waiter& usual) : usual_(usual) {}
    void begin() { end_ = std::chrono::steady_clock::now() + kMoment; }
    void end() { end_.reset(); }

   private:
    static constexpr std::chrono::milliseconds kMoment{200};
    void before_wait() override { usual_.before_wait(); }
    int milliseconds_to_idle() override;
    void idle() override;
    int end_descriptor() const override { return usual_.end_descriptor(); }
    Waiter& usual_;
    std::optional<std::chrono::steady_clock::time_point> end_;
  };
  class LookEnded {};

  void require_same_front(const StreamModel& model) const;
  void extend_front(std::string_view front);

  const StreamFlags& flags_;
  const StopSignal& stop_;
  LookingWaiter waiter_;
  std::size_t next_path_ = 0;
  OpenRows open_{};
  FirstRows first_rows_;
  std::size_t delivered_ = 0;  // of them
  std::vector<std::string> selected_;
  std::vector<std::size_t> read_places_;  // of the model's columns, among those looked at
  std::size_t looked_front_ = 0;          // of the row delivered last; 0: not from first_rows_
  std::string path_, source_;             // of the open input
  End end_ = End::input;
  std::uint64_t rows_ = 0;
  std::uint64_t skipped_ = 0;
  std::map<std::string, Source> sources_;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double waited_before_ = 0.0;      // for inputs that are closed
  std::uint64_t bytes_before_ = 0;  // in them
  std::optional<std::uint64_t> bytes_total_;
};

}  // namespace splitgp
