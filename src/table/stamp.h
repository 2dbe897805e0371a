#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "table/date_text.h"

namespace splitgp::table {

/// A point in time, a date or a time of day, as a text says it.
struct Stamp {
  double seconds =
      0.0;  ///< Since 1970-01-01 00:00, UTC if zoned; of a time of day, since midnight.
  bool has_date = false;
  bool has_clock = false;
  bool zoned = false;  ///< It names a zone: Z, UTC, +01:00.
};

/// Parses ISO 8601 and common forms: 2024-03-31T18:00:00Z, 31.03.2024 18:00, 3/31/24 6:00 PM,
/// 31-Mar-2024, Mar 31, 2024, 2024-03 (its first day), 20240331T180000, 18.00.00. Independent of
/// locale and time zone. Returns an empty string, or why it is none: "'2023-02-29' is not a date:
/// February 2023 has 28 days". Nothing is guessed: every character must make sense.
std::string parse_stamp(std::string_view text, DateOrder order, Stamp& stamp);

/// The same for a time of day alone: 18:00, 6 PM, 18.00.00, which would also be a date.
std::string parse_clock(std::string_view text, Stamp& stamp);

/// The first two numbers of a date whose order matters, 31 and 3 in 31/03/2024; empty otherwise.
std::optional<std::pair<int, int>> ambiguous_numbers(std::string_view text);

}  // namespace splitgp::table
