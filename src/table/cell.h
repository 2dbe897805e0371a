#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace splitgp::table {

/// One value of a table as its reader has it: the text of a CSV field, or what a program has parsed
/// already. The text must live as long as the cell.
struct Cell {
  enum class Kind : std::uint8_t {
    missing,
    number,      ///< `number`; NaN is missing.
    text,        ///< `text`: a number, a stamp or a word, whatever its column holds.
    time,        ///< `number`: seconds since 1970-01-01 on a clock without a zone.
    zoned_time,  ///< `number`: seconds since 1970-01-01 UTC.
  };
  Kind kind = Kind::missing;
  double number = 0.0;
  std::string_view text = {};

  static Cell of(std::string_view text) { return {Kind::text, 0.0, text}; }
  static Cell of(double number) { return {Kind::number, number, {}}; }
  static Cell of_time(double seconds, bool zoned) {
    return {zoned ? Kind::zoned_time : Kind::time, seconds, {}};
  }
};

/// The cells of one row, in the order of the columns that its reader was asked for.
using Cells = std::span<const Cell>;

}  // namespace splitgp::table
