#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"

namespace splitgp {

struct Row {
  std::uint64_t line = 0;          ///< Where it begins in the text, from 1.
  std::vector<double> numbers;     ///< Of the number columns asked for, in that order.
  std::vector<std::string> texts;  ///< Of the text columns asked for.
  bool json_texts = false;         ///< They were asked for as JSON, and the input has JSON.
};

struct RejectedRow {
  std::uint64_t line = 0;
  std::string reason;  ///< Names the column and the value.
  std::string column;  ///< The one whose value is no number; empty if the reason is another.
};

/// Which columns are wanted, by name, so that their order in the input does not matter.
struct ColumnSelection {
  std::vector<std::string> numbers;
  std::vector<std::string> texts;
  bool json_texts = false;  ///< Texts as they stand in the input, if that is JSON: not validated.
};

/// Rows of a table, one after the other, each as soon as its line break has arrived. A bad row is
/// reported and reading goes on; ReadError is for an input that cannot be read at all. Blank lines
/// are no rows.
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// Waits for the header (for NDJSON, the keys of the first object). Empty: so is the input.
  virtual const std::vector<std::string>& columns() = 0;

  /// REQUIRES: the names differ. If the input has a header and a column is not in it, every row is
  /// rejected for that reason.
  virtual void select(ColumnSelection selection) = 0;

  enum class Next { row, rejected, end };
  /// Sets the one of the two that it returns.
  virtual Next next(Row& row, RejectedRow& rejected) = 0;

  /// Passes over rows that were read before, good and bad; returns how many there were.
  virtual std::uint64_t skip(std::uint64_t rows) = 0;

  /// The beginning of the text that the rows so far have come from: up to 64 KiB, unpacked.
  virtual std::string_view front() const = 0;
};

/// The largest length of a row, in bytes: 10,000 columns fit many times over, and a file without
/// line breaks is found out before it fills the memory.
inline constexpr std::size_t kLongestRow = std::size_t{1} << 22;

}  // namespace splitgp
