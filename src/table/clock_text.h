#pragma once

#include "table/cursor.h"

namespace splitgp::table {

/// A time of day as a text has it, and its zone; there may be no such time.
struct Clock {
  int hour = 0, minute = 0;
  double second = 0.0;
  bool zoned = false;
  int offset_minutes = 0;
};

/// Consumes a time of day. `compact`: without separators, as in 20240331T1800. `alone`: there is no
/// date in front, so that 18.30 would be a number.
bool take_clock(Cursor& text, bool compact, bool alone, Clock& clock);

/// Consumes the zone, if there is one.
bool take_zone(Cursor& text, Clock& clock);

}  // namespace splitgp::table
