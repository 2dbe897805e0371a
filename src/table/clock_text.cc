#include "table/clock_text.h"

namespace splitgp::table {
namespace {

void take_fraction(Cursor& text, Clock& clock) {
  if (text.peek() != '.' && text.peek() != ',') return;
  Cursor after = text;
  after.rest.remove_prefix(1);
  const std::size_t digits = after.digits();
  if (digits == 0) return;
  double place = 1.0;
  double value = 0.0;
  for (std::size_t i = 0; i < digits && i < 15; ++i) {
    value = 10.0 * value + (after.rest[i] - '0');
    place *= 10.0;
  }
  after.rest.remove_prefix(digits);
  clock.second += value / place;
  text = after;
}

}  // namespace

bool take_clock(Cursor& text, bool compact, bool alone, Clock& clock) {
  if (compact && (text.digits() == 2 || text.digits() == 4 || text.digits() == 6)) {
    const std::size_t digits = text.digits();
    clock.hour = text.take_number(2);
    if (digits >= 4) clock.minute = text.take_number(2);
    if (digits == 6) clock.second = text.take_number(2);
    take_fraction(text, clock);
    return true;
  }
  clock.hour = text.take_number(1, 2);
  if (clock.hour < 0) return false;
  const char separator = text.peek();
  if (separator == ':' || separator == '.') {
    text.take(separator);
    clock.minute = text.take_number(2, 2);
    if (clock.minute < 0) return false;
    if (text.take(separator)) {
      const int second = text.take_number(2, 2);
      if (second < 0) return false;
      clock.second = second;
      take_fraction(text, clock);
    } else if (alone && separator == '.') {
      return false;
    }
  }
  Cursor half = text;
  half.take_spaces();
  const bool morning = half.take_letters("am") || half.take_letters("a.m.");
  const bool evening = !morning && (half.take_letters("pm") || half.take_letters("p.m."));
  if (morning || evening) {
    if (clock.hour < 1 || clock.hour > 12) clock.hour = 99;  // told as impossible below
    if (clock.hour == 12) clock.hour = 0;
    if (evening) clock.hour += 12;
    text = half;
  } else if (separator != ':' && separator != '.') {
    return false;  // 18 alone says nothing
  }
  return true;
}

bool take_zone(Cursor& text, Clock& clock) {
  text.take_spaces();
  if (text.at_end()) return true;
  clock.zoned = true;
  if (text.take_letters("z") || text.take_letters("utc") || text.take_letters("gmt")) return true;
  const bool behind = text.peek() == '-';
  if (!text.take('+') && !text.take('-')) return false;
  const std::size_t digits = text.digits();
  if (digits != 2 && digits != 4 && digits != 1) return false;
  const int hours = text.take_number(digits == 4 ? 2 : digits);
  int minutes = 0;
  if (digits == 4) {
    minutes = text.take_number(2);
  } else if (text.take(':')) {
    minutes = text.take_number(2, 2);
  }
  if (minutes < 0 || minutes > 59 || hours > 15) return false;
  clock.offset_minutes = (behind ? -1 : 1) * (60 * hours + minutes);
  return true;
}

}  // namespace splitgp::table
