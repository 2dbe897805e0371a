#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"

namespace splitgp {

struct Row {
  std::uint64_t line = 0;          ///< Where it begins in the text, from 1.
  std::vector<double> numbers;     ///< Of the selected number columns, in order.
  std::vector<std::string> texts;  ///< Of the selected text columns.
  bool json_texts = false;         ///< The texts are JSON.
};

struct RejectedRow {
  std::uint64_t line = 0;
  std::string reason;  ///< Names the column and the value.
  std::string column;  ///< The one whose value is not a number; empty for other reasons.
};

/// The columns wanted, by name, so that their order in the input does not matter.
struct ColumnSelection {
  std::vector<std::string> numbers;
  std::vector<std::string> texts;
  bool json_texts = false;  ///< From JSON, texts stay JSON, not validated.
};

/// Reads the rows of a table, each as soon as its line break has arrived. Bad rows are reported,
/// and reading continues; ReadError means that the input cannot be read at all. Blank lines are
/// skipped.
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// Waits for the header; for NDJSON, for the keys of the first object. Empty if the input is.
  virtual const std::vector<std::string>& columns() = 0;

  /// REQUIRES: the names are distinct. If the header lacks one of them, every row is rejected.
  virtual void select(ColumnSelection selection) = 0;

  enum class Next { row, rejected, end };
  /// Sets `row` or `rejected`, whichever it returns. If the source throws WaitEnded or another
  /// exception of its Waiter, the call may be repeated.
  virtual Next next(Row& row, RejectedRow& rejected) = 0;

  /// Skips rows, good or bad; returns how many there were.
  virtual std::uint64_t skip(std::uint64_t rows) = 0;

  /// The text of the rows so far and the header, uncompressed; at most the first 64 KiB.
  virtual std::string_view front() const = 0;
};

/// The longest row, in bytes: enough for 10,000 columns many times over, and a file without line
/// breaks is noticed before it fills the memory.
inline constexpr std::size_t kLongestRow = std::size_t{1} << 22;

}  // namespace splitgp
