#include "table/find_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "io/number.h"
#include "io/printable.h"
#include "splitgp/error.h"
#include "table/words.h"

namespace splitgp::table {
namespace {

constexpr double kDay = 86400.0;

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
    for (TimeColumns& time : times_) finish(time);
    return std::move(times_);
  }

 private:
  std::optional<As> wish(std::size_t c) const {
    const auto found = in_.wishes.as.find(in_.names[c]);
    return found == in_.wishes.as.end() ? std::nullopt : std::optional(found->second);
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
      const bool wished = wish(c).has_value();
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
    const std::optional<As> as = wish(c);
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

  // 31/03 and 03/31 tell; where no value does, the order in which time runs most evenly.
  DateOrder order_of(std::size_t c) {
    const std::optional<As> as = wish(c);
    if (as == As::day_first) return DateOrder::day_first;
    if (as == As::month_first) return DateOrder::month_first;
    std::size_t first_beyond = 0, second_beyond = 0, ambiguous = 0;
    for (const FirstValue& value : in_.values[c]) {
      if (value.kind != Cell::Kind::text) continue;
      const auto numbers = ambiguous_numbers(value.text);
      if (!numbers) continue;
      ++ambiguous;
      if (numbers->first > 12) ++first_beyond;
      if (numbers->second > 12) ++second_beyond;
    }
    if (ambiguous == 0) return DateOrder::day_first;
    if (first_beyond != second_beyond) {
      return first_beyond > second_beyond ? DateOrder::day_first : DateOrder::month_first;
    }
    const double day_first = path(c, DateOrder::day_first);
    const double month_first = path(c, DateOrder::month_first);
    const DateOrder chosen =
        month_first < day_first ? DateOrder::month_first : DateOrder::day_first;
    const std::string other = chosen == DateOrder::day_first ? "month-first" : "day-first";
    remarks_.push_back("column " + shown(in_.names[c]) +
                       ": no date tells whether day or month comes first; taken as " +
                       (chosen == DateOrder::day_first ? "day" : "month") + " first" +
                       (day_first == month_first ? "" : ", with which time runs more evenly") +
                       "; --as " + printable(in_.names[c]) + "=" + other + " says otherwise");
    return chosen;
  }

  bool order_matters(std::size_t c) const {
    const TimePart part = columns_[c].part;
    if (part != TimePart::stamp && part != TimePart::date) return false;
    const std::optional<As> as = wish(c);
    if (as == As::day_first || as == As::month_first) return true;
    return std::any_of(in_.values[c].begin(), in_.values[c].end(), [](const FirstValue& value) {
      return value.kind == Cell::Kind::text && ambiguous_numbers(value.text).has_value();
    });
  }

  double path(std::size_t c, DateOrder order) const {
    double length = 0.0;
    std::optional<double> before;
    for (const FirstValue& value : in_.values[c]) {
      Stamp stamp;
      if (value.kind != Cell::Kind::text || !parse_stamp(value.text, order, stamp).empty())
        continue;
      if (before) length += std::abs(stamp.seconds - *before);
      before = stamp.seconds;
    }
    return length;
  }

  // The time of a row, as Recipe::apply() will have it; empty if it has none.
  std::optional<double> seconds_of(const TimeColumns& time, std::size_t row) const {
    double seconds = 0.0;
    std::array<int, 3> date{0, 1, 1};
    for (const std::size_t c : time.columns) {
      const FirstValue& value = in_.values[c][row];
      if (in_.gaps.is_gap(value)) return std::nullopt;
      const TimePart part = columns_[c].part;
      double number = value.number;
      if (part == TimePart::stamp || part == TimePart::date || part == TimePart::clock) {
        Stamp stamp;
        if (value.kind == Cell::Kind::text) {
          const bool clock = part == TimePart::clock || !time.dated;
          if (!(clock ? parse_clock(value.text, stamp) : parse_stamp(value.text, time.order, stamp))
                   .empty()) {
            return std::nullopt;
          }
          number = stamp.seconds;
        }
        seconds += number;
        continue;
      }
      if (value.kind == Cell::Kind::text &&
          parse_number(value.text, in_.gaps.decimal_mark, number)) {
        return std::nullopt;
      }
      if (part == TimePart::unix_seconds) seconds += number;
      if (part == TimePart::unix_milliseconds) seconds += number / 1000.0;
      if (part == TimePart::year) date[0] = static_cast<int>(number);
      if (part == TimePart::month) date[1] = static_cast<int>(number);
      if (part == TimePart::day) date[2] = static_cast<int>(number);
      if (part == TimePart::hour) seconds += 3600.0 * number;
      if (part == TimePart::minute) seconds += 60.0 * number;
      if (part == TimePart::second) seconds += number;
    }
    if (date[0] == 0) return seconds;
    const std::optional<double> day = seconds_of_date(date[0], date[1], date[2]);
    return day ? std::optional(*day + seconds) : std::nullopt;
  }

  void finish(TimeColumns& time) {
    std::vector<double> all;
    std::size_t backwards = 0;
    bool clock = false;
    const std::size_t rows = in_.values[time.columns.front()].size();
    for (std::size_t row = 0; row < rows; ++row) {
      const std::optional<double> seconds = seconds_of(time, row);
      if (!seconds) continue;
      if (!all.empty() && *seconds < all.back()) ++backwards;
      clock = clock || std::fmod(*seconds, kDay) != 0.0;
      all.push_back(*seconds);
    }
    const Column& first = columns_[time.columns.front()];
    if (all.empty()) {
      throw InvalidArgument("column " + shown(first.name) + ": none of the first " +
                            std::to_string(rows) + " rows has a time");
    }
    time.origin = time.dated ? all.front() : 0.0;
    time.ordered = order_matters(time.columns.front());
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    const double span = *high - *low;
    const double step = all.size() > 1 ? span / static_cast<double>(all.size() - 1) : 0.0;
    std::string said = choose_cycles(time, span, step, clock);
    explain(time, said);
    if (backwards > 0 && !in_.wishes.lags.empty()) {
      remarks_.push_back("column " + shown(first.name) + ": time runs backwards " +
                         std::to_string(backwards) + " times in the first " + std::to_string(rows) +
                         " rows; lags count rows, whatever their times");
    }
  }

  // Returns what to say about cycles that are not there.
  std::string choose_cycles(TimeColumns& time, double span, double step, bool clock) const {
    if (!time.dated) {
      time.cycles = {Cycle::day};
      return "";
    }
    if (in_.wishes.cycles) {
      time.cycles = *in_.wishes.cycles;
      return "";
    }
    // Half a day has most of a day's shape; longer cycles must have been seen whole. Three values
    // in a cycle are the fewest that show one.
    std::string missing;
    const auto consider = [&](Cycle cycle, double needed, double length) {
      if (3.0 * step > length) return;
      if (span >= needed) {
        time.cycles.push_back(cycle);
      } else {
        missing += (missing.empty() ? "" : ", ") + std::string(to_string(cycle));
      }
    };
    if (clock) consider(Cycle::day, 0.5 * kDay, kDay);
    consider(Cycle::week, 7.0 * kDay, 7.0 * kDay);
    consider(Cycle::year, 365.0 * kDay, 365.0 * kDay);
    if (missing.empty()) return "";
    const double days = span / kDay;
    std::string with;
    for (const Cycle cycle : time.cycles) with += std::string(to_string(cycle)) + ",";
    const auto days_text = std::to_string(static_cast<long long>(std::round(days)));
    return "; not the position in " + missing + ", of which the first rows show too little (" +
           (days >= 2.0
                ? days_text + " days"
                : std::to_string(static_cast<long long>(std::round(24.0 * days))) + " hours") +
           "): --cycles " + with + missing.substr(0, missing.find(',')) + " adds it";
  }

  void explain(const TimeColumns& time, const std::string& said) {
    const Column& first = columns_[time.columns.front()];
    std::string what = "time: ";
    if (first.part == TimePart::unix_seconds) what += "Unix seconds; ";
    if (first.part == TimePart::unix_milliseconds) what += "Unix milliseconds; ";
    if (time.zoned && first.part == TimePart::stamp) what += "in UTC; ";
    if (time.ordered) what += time.order == DateOrder::day_first ? "day first; " : "month first; ";
    what += time.dated ? "hours since " + stamp_text(time.origin) : std::string("of day");
    if (!time.cycles.empty() && time.dated) {
      std::string cycles;
      for (const Cycle cycle : time.cycles) {
        cycles += (cycles.empty() ? "" : ", ") + std::string(to_string(cycle));
      }
      what += " and the position in " + cycles;
    }
    for (std::size_t k = 0; k < time.columns.size(); ++k) {
      Column& column = columns_[time.columns[k]];
      column.why = k == 0 ? what + said : "time, with " + printable(first.name);
    }
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
