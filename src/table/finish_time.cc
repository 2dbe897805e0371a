#include "table/finish_time.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/printable.h"
#include "splitgp/error.h"
#include "table/calendar.h"
#include "table/date_order.h"
#include "table/row_time.h"

namespace splitgp::table {
namespace {

constexpr double kDay = 86400.0;

// The times of the rows that have one, as Recipe::apply() will read them.
std::vector<double> read_times(const TimeSearch& search, const TimeColumns& time,
                               const std::vector<Column>& columns) {
  std::vector<Cell> cells(columns.size());
  std::vector<std::size_t> cell_of(columns.size());
  std::iota(cell_of.begin(), cell_of.end(), std::size_t{0});
  std::vector<double> times;
  for (std::size_t row = 0; row < search.values[time.columns.front()].size(); ++row) {
    bool gap = false;
    for (const std::size_t c : time.columns) {
      const FirstValue& value = search.values[c][row];
      gap = gap || search.gaps.is_gap(value);
      cells[c] = value.cell();
    }
    double seconds = 0.0;
    if (gap || read_time(time, columns, cells, cell_of, search.gaps.decimal_mark, seconds))
      continue;
    times.push_back(seconds);
  }
  return times;
}

// What the first rows show of it.
struct Seen {
  explicit Seen(const std::vector<double>& times) {
    const auto [low, high] = std::minmax_element(times.begin(), times.end());
    span = *high - *low;
    if (times.size() > 1) step = span / static_cast<double>(times.size() - 1);
    clock = std::any_of(times.begin(), times.end(),
                        [](double seconds) { return std::fmod(seconds, kDay) != 0.0; });
    for (std::size_t i = 1; i < times.size(); ++i) backwards += times[i] < times[i - 1] ? 1 : 0;
  }

  double span = 0.0;
  double step = 0.0;
  bool clock = false;  // not only dates
  std::size_t backwards = 0;
};

bool order_matters(const TimeSearch& search, std::size_t c, TimePart part) {
  if (part != TimePart::stamp && part != TimePart::date) return false;
  const std::optional<As> as = search.wish(c);
  return as == As::day_first || as == As::month_first || has_ambiguous_dates(search.values[c]);
}

// Returns what to say about cycles that are not there.
std::string choose_cycles(const Wishes& wishes, const Seen& seen, TimeColumns& time) {
  if (!time.dated) {
    time.cycles = {Cycle::day};
    return "";
  }
  if (wishes.cycles) {
    time.cycles = *wishes.cycles;
    return "";
  }
  // Half a day has most of a day's shape; longer cycles must have been seen whole. Three values
  // in a cycle are the fewest that show one.
  std::string missing;
  const auto consider = [&](Cycle cycle, double needed, double length) {
    if (3.0 * seen.step > length) return;
    if (seen.span >= needed) {
      time.cycles.push_back(cycle);
    } else {
      missing += (missing.empty() ? "" : ", ") + std::string(to_string(cycle));
    }
  };
  if (seen.clock) consider(Cycle::day, 0.5 * kDay, kDay);
  consider(Cycle::week, 7.0 * kDay, 7.0 * kDay);
  consider(Cycle::year, 365.0 * kDay, 365.0 * kDay);
  if (missing.empty()) return "";
  const double days = seen.span / kDay;
  std::string with;
  for (const Cycle cycle : time.cycles) with += std::string(to_string(cycle)) + ",";
  const auto days_text = std::to_string(static_cast<long long>(std::round(days)));
  return "; not the position in " + missing + ", of which the first rows show too little (" +
         (days >= 2.0
              ? days_text + " days"
              : std::to_string(static_cast<long long>(std::round(24.0 * days))) + " hours") +
         "): --cycles " + with + missing.substr(0, missing.find(',')) + " adds it";
}

void explain(const TimeColumns& time, const std::string& said, std::vector<Column>& columns) {
  const Column& first = columns[time.columns.front()];
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
    Column& column = columns[time.columns[k]];
    column.why = k == 0 ? what + said : "time, with " + printable(first.name);
  }
}

}  // namespace

void finish_time(const TimeSearch& search, TimeColumns& time, std::vector<Column>& columns,
                 std::vector<std::string>& remarks) {
  const std::size_t c = time.columns.front();
  const std::string rows = std::to_string(search.values[c].size());
  const std::vector<double> times = read_times(search, time, columns);
  if (times.empty()) {
    throw InvalidArgument("column " + shown(columns[c].name) + ": none of the first " + rows +
                          " rows has a time");
  }
  const Seen seen(times);
  time.origin = time.dated ? times.front() : 0.0;
  time.ordered = order_matters(search, c, columns[c].part);
  explain(time, choose_cycles(search.wishes, seen, time), columns);
  if (seen.backwards > 0 && !search.wishes.lags.empty()) {
    remarks.push_back("column " + shown(columns[c].name) + ": time runs backwards " +
                      std::to_string(seen.backwards) + " times in the first " + rows +
                      " rows; lags count rows, whatever their times");
  }
}

}  // namespace splitgp::table
