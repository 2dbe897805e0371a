#include "table/find_time.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "io/number.h"
#include "io/printable.h"
#include "splitgp/error.h"
#include "table/date_order.h"
#include "table/finish_time.h"
#include "table/words.h"

namespace splitgp::table {
namespace {

struct Shape {
  bool date = false, clock = false, zoned = false;
};

class Search {
 public:
  Search(const TimeSearch& search, std::vector<Column>& columns, std::vector<std::string>& remarks)
      : in_(search), columns_(columns), remarks_(remarks) {}

  std::vector<TimeColumns> run() {
    find_calendar();
    find_stamps();
    for (TimeColumns& time : times_) finish_time(in_, time, columns_, remarks_);
    return std::move(times_);
  }

 private:
  DateOrder order_of(std::size_t c) {
    return find_date_order(in_.names[c], in_.values[c], in_.wish(c), remarks_);
  }

  // Year, month and day in columns of these names, and hour, minute, second if they are there.
  void find_calendar() {
    struct Name {
      TimePart part;
      std::array<const char*, 4> words;
      double low, high;
    };
    static constexpr std::array<Name, 6> kNames{
        {{TimePart::year, {"year", "yr", "yyyy", "years"}, 1000, 3000},
         {TimePart::month, {"month", "mon", "mm", "mo"}, 1, 12},
         {TimePart::day, {"day", "dd", "mday", "day of month"}, 1, 31},
         {TimePart::hour, {"hour", "hr", "hh", "hours"}, 0, 24},
         {TimePart::minute, {"minute", "min", "mi", "minutes"}, 0, 59},
         {TimePart::second, {"second", "sec", "ss", "seconds"}, 0, 60}}};
    std::vector<std::size_t> found;
    for (const Name& name : kNames) {
      std::size_t c = 0;
      for (; c < in_.names.size(); ++c) {
        const ColumnLook& look = in_.looks[c];
        const std::string word = plain_word(in_.names[c]);
        const bool named =
            std::find(name.words.begin(), name.words.end(), word) != name.words.end();
        if (named && in_.allowed[c] && columns_[c].use == Use::none && look.numbers > 0 &&
            look.numbers == look.values() && look.low >= name.low && look.high <= name.high &&
            (look.whole || name.part == TimePart::second)) {
          break;
        }
      }
      if (c == in_.names.size()) break;  // an hour without a day is no point in time
      found.push_back(c);
      columns_[c].part = name.part;
    }
    if (found.size() < 3) return;
    for (const std::size_t c : found) columns_[c].use = Use::time;
    times_.push_back({.columns = found});
  }

  void find_stamps() {
    std::vector<std::size_t> dates, clocks;
    std::vector<std::pair<std::size_t, Shape>> alone;
    for (std::size_t c = 0; c < in_.names.size(); ++c) {
      if (!in_.allowed[c] || columns_[c].use != Use::none || in_.looks[c].values() == 0) continue;
      if (find_unix(c)) continue;
      const bool wished = in_.wish(c).has_value();
      if (!wished && 2 * in_.looks[c].stamps < in_.looks[c].values()) continue;
      if (!wished && 2 * in_.looks[c].numbers >= in_.looks[c].values()) continue;
      const Shape shape = shape_of(c);
      if (shape.date && !shape.clock) dates.push_back(c);
      if (!shape.date) clocks.push_back(c);
      alone.emplace_back(c, shape);
    }
    if (dates.size() == 1 && clocks.empty() && add_hour(dates[0])) {
      std::erase_if(alone, [&](const auto& one) { return one.first == dates[0]; });
    }
    const bool joined = dates.size() == 1 && clocks.size() == 1;
    for (const auto& [c, shape] : alone) {
      columns_[c].use = Use::time;
      columns_[c].part = TimePart::stamp;
      if (!joined || (shape.date && shape.clock)) {
        times_.push_back(
            {.columns = {c}, .order = order_of(c), .dated = shape.date, .zoned = shape.zoned});
      }
    }
    if (!joined) return;
    columns_[dates[0]].part = TimePart::date;
    columns_[clocks[0]].part = TimePart::clock;
    times_.push_back({.columns = {dates[0], clocks[0]}, .order = order_of(dates[0])});
  }

  // A date beside a column of hours.
  bool add_hour(std::size_t date) {
    for (std::size_t c = 0; c < in_.names.size(); ++c) {
      const ColumnLook& look = in_.looks[c];
      const std::string word = plain_word(in_.names[c]);
      const bool named = word == "hour" || word == "hr" || word == "hh" || word == "hours";
      const bool hours = look.numbers > 0 && look.numbers == look.values() && look.low >= 0.0 &&
                         look.high <= 24.0 && look.whole;
      if (!named || !hours || !in_.allowed[c] || columns_[c].use != Use::none) continue;
      columns_[date].use = columns_[c].use = Use::time;
      columns_[date].part = TimePart::date;
      columns_[c].part = TimePart::hour;
      times_.push_back({.columns = {date, c}, .order = order_of(date)});
      return true;
    }
    return false;
  }

  // A number is a time if the column's name or the user says so, and its size makes sense.
  bool find_unix(std::size_t c) {
    const ColumnLook& look = in_.looks[c];
    const std::optional<As> as = in_.wish(c);
    if (look.numbers == 0 || look.numbers < look.values()) return false;
    if (!as && !is_time_name(in_.names[c])) return false;
    const bool dates = look.low >= 17000101 && look.high <= 22001231 && all_stamps(c);
    if (dates && as) return false;  // 20240331
    const bool seconds = look.low >= 1e8 && look.high < 1e10;
    const bool milliseconds = look.low >= 1e11 && look.high < 1e13;
    if (!seconds && !milliseconds) {
      if (!as) return false;
      throw InvalidArgument("--as " + shown(in_.names[c]) +
                            "=time: the numbers are neither Unix seconds nor milliseconds, nor "
                            "dates such as 20240331");
    }
    columns_[c].use = Use::time;
    columns_[c].part = seconds ? TimePart::unix_seconds : TimePart::unix_milliseconds;
    times_.push_back({.columns = {c}, .zoned = true});
    return true;
  }

  bool all_stamps(std::size_t c) const {
    return std::all_of(in_.values[c].begin(), in_.values[c].end(), [&](const FirstValue& value) {
      Stamp stamp;
      return in_.gaps.is_gap(value) ||
             (value.kind == Cell::Kind::text &&
              parse_stamp(value.text, DateOrder::day_first, stamp).empty());
    });
  }

  Shape shape_of(std::size_t c) const {
    std::optional<Shape> first;
    const FirstValue* witness = nullptr;
    for (const FirstValue& value : in_.values[c]) {
      if (in_.gaps.is_gap(value)) continue;
      Stamp stamp;
      Shape shape{true, true, value.kind == Cell::Kind::zoned_time};
      if (value.kind == Cell::Kind::text) {
        if (!parse_stamp(value.text, DateOrder::day_first, stamp).empty() &&
            !parse_stamp(value.text, DateOrder::month_first, stamp).empty()) {
          continue;
        }
        shape = {stamp.has_date, stamp.has_clock, stamp.zoned};
      }
      if (!first) {
        first = shape;
        witness = &value;
        continue;
      }
      // Midnight is often written as a date alone; and 10.05.04 may be a date or a time, but not in
      // a column with 18.00.00.
      first->clock = first->clock || shape.clock;
      first->date = first->date && shape.date;
      if (first->zoned != shape.zoned) {
        throw InvalidArgument("column " + shown(in_.names[c]) + ": " +
                              shown((first->zoned ? *witness : value).text) + " names a zone and " +
                              shown((first->zoned ? value : *witness).text) +
                              " does not, so their order is unknown; --ignore " +
                              printable(in_.names[c]) + " leaves the column out");
      }
    }
    if (!first) {
      throw InvalidArgument("--as " + shown(in_.names[c]) + "=time: no value of the first " +
                            std::to_string(in_.looks[c].rows) + " rows is a date or a time");
    }
    return *first;
  }

  const TimeSearch& in_;
  std::vector<Column>& columns_;
  std::vector<std::string>& remarks_;
  std::vector<TimeColumns> times_;
};

}  // namespace

std::vector<TimeColumns> find_times(const TimeSearch& search, std::vector<Column>& columns,
                                    std::vector<std::string>& remarks) {
  return Search(search, columns, remarks).run();
}

}  // namespace splitgp::table
