#include "table/date_order.h"

#include <algorithm>
#include <cmath>

#include "io/printable.h"

namespace splitgp::table {
namespace {

// How far time runs, back and forth.
double path(const std::vector<FirstValue>& values, DateOrder order) {
  double length = 0.0;
  std::optional<double> before;
  for (const FirstValue& value : values) {
    Stamp stamp;
    if (value.kind != Cell::Kind::text || !parse_stamp(value.text, order, stamp).empty()) continue;
    if (before) length += std::abs(stamp.seconds - *before);
    before = stamp.seconds;
  }
  return length;
}

DateOrder most_even(const std::string& name, const std::vector<FirstValue>& values,
                    std::vector<std::string>& remarks) {
  const double day_first = path(values, DateOrder::day_first);
  const double month_first = path(values, DateOrder::month_first);
  const DateOrder chosen = month_first < day_first ? DateOrder::month_first : DateOrder::day_first;
  const std::string other = chosen == DateOrder::day_first ? "month-first" : "day-first";
  remarks.push_back("column " + shown(name) +
                    ": no date tells whether day or month comes first; taken as " +
                    (chosen == DateOrder::day_first ? "day" : "month") + " first" +
                    (day_first == month_first ? "" : ", with which time runs more evenly") +
                    "; --as " + printable(name) + "=" + other + " says otherwise");
  return chosen;
}

}  // namespace

DateOrder find_date_order(const std::string& name, const std::vector<FirstValue>& values,
                          std::optional<As> wished, std::vector<std::string>& remarks) {
  if (wished == As::day_first) return DateOrder::day_first;
  if (wished == As::month_first) return DateOrder::month_first;
  std::size_t first_beyond = 0, second_beyond = 0, ambiguous = 0;
  for (const FirstValue& value : values) {
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
  return most_even(name, values, remarks);
}

bool has_ambiguous_dates(const std::vector<FirstValue>& values) {
  return std::any_of(values.begin(), values.end(), [](const FirstValue& value) {
    return value.kind == Cell::Kind::text && ambiguous_numbers(value.text).has_value();
  });
}

}  // namespace splitgp::table
