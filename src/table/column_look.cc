#include "table/column_look.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/number.h"
#include "table/words.h"

namespace splitgp::table {
namespace {

bool number_in(const FirstValue& value, char decimal_mark, double& number) {
  number = value.number;
  if (value.kind == Cell::Kind::number) return true;
  return value.kind == Cell::Kind::text && !parse_number(value.text, decimal_mark, number);
}

// -99, -999, 9999, -200: what a device writes when it has nothing to say.
bool looks_like_code(double number) {
  const double size = std::abs(number);
  if (size != std::floor(size) || size < 9.0 || size > 1e7) return false;
  const std::string digits = std::to_string(static_cast<long long>(size));
  if (digits.size() >= 2 && digits.find_first_not_of('9') == std::string::npos) return true;
  return number < 0.0 && digits.size() >= 3 &&
         digits.find_first_not_of('0', 1) == std::string::npos;
}

// The code must come often, and lie apart from all other values: beyond their range again, or below
// zero where all others are not.
void find_code(const std::map<double, std::size_t>& counts, ColumnLook& look) {
  if (counts.size() < 3) return;
  for (const bool lowest : {true, false}) {
    const auto [value, count] = lowest ? *counts.begin() : *counts.rbegin();
    if (count < 3 || !looks_like_code(value)) continue;
    const double nearest =
        lowest ? std::next(counts.begin())->first : std::next(counts.rbegin())->first;
    const double farthest = lowest ? counts.rbegin()->first : counts.begin()->first;
    const bool apart = std::abs(nearest - value) > std::abs(farthest - nearest);
    if (!apart && !(value < 0.0 && nearest >= 0.0)) continue;
    look.code = std::to_string(static_cast<long long>(value));
    look.code_count = count;
    return;
  }
}

}  // namespace

bool GapRule::is_gap(const FirstValue& value) const {
  if (value.kind == Cell::Kind::missing) return true;
  if (value.kind != Cell::Kind::text && std::isnan(value.number)) return true;
  if (value.kind == Cell::Kind::text) {
    if (is_gap_text(value.text)) return true;
    if (std::find(texts.begin(), texts.end(), trimmed(value.text)) != texts.end()) return true;
  }
  double number = 0.0;
  return !numbers.empty() && number_in(value, decimal_mark, number) &&
         std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

std::vector<double> numbers_in(const std::vector<FirstValue>& values, const GapRule& gaps) {
  std::vector<double> numbers;
  for (const FirstValue& value : values) {
    double number = 0.0;
    const bool known = !gaps.is_gap(value) && number_in(value, gaps.decimal_mark, number);
    numbers.push_back(known ? number : std::numeric_limits<double>::quiet_NaN());
  }
  return numbers;
}

ColumnLook look_at(const std::vector<FirstValue>& values, const GapRule& gaps) {
  ColumnLook look;
  std::map<double, std::size_t> counts;
  double previous = 0.0;
  look.counts_rows = true;
  for (const FirstValue& value : values) {
    ++look.rows;
    double number = 0.0;
    Stamp stamp;
    if (gaps.is_gap(value)) {
      ++look.gaps;
      look.counts_rows = false;
      continue;
    }
    if (value.kind == Cell::Kind::time || value.kind == Cell::Kind::zoned_time) {
      ++look.times;
      ++look.stamps;
      continue;
    }
    if (number_in(value, gaps.decimal_mark, number)) {
      look.counts_rows = look.counts_rows && (look.numbers == 0 || number == previous + 1.0);
      previous = number;
      look.whole = look.whole && number == std::floor(number);
      ++look.numbers;
      look.low = look.numbers == 1 ? number : std::min(look.low, number);
      look.high = look.numbers == 1 ? number : std::max(look.high, number);
      look.mean += (number - look.mean) / static_cast<double>(look.numbers);
      ++counts[number];
    } else if (parse_stamp(value.text, DateOrder::day_first, stamp).empty() ||
               parse_stamp(value.text, DateOrder::month_first, stamp).empty()) {
      ++look.stamps;
    }
    if (value.kind == Cell::Kind::text) {
      const std::string text(trimmed(value.text));
      ++look.levels[text];
      look.letters += text.size();
    } else {
      ++look.levels[std::to_string(value.number)];
    }
  }
  if (look.numbers < look.values()) look.counts_rows = false;
  find_code(counts, look);
  return look;
}

namespace {

// 1,234,567: a comma between thousands is no decimal mark.
bool has_thousands(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t first = text.find(',');
  if (first == 0 || first > 3 || (text.size() - first) % 4 != 0) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool comma = i >= first && (i - first) % 4 == 0;
    if (comma ? text[i] != ',' : text[i] < '0' || text[i] > '9') return false;
  }
  return text.front() != '0';
}

}  // namespace

char find_decimal_mark(const std::vector<std::vector<FirstValue>>& columns) {
  std::size_t points = 0;
  std::size_t commas = 0;
  std::size_t thousands = 0;
  for (const std::vector<FirstValue>& column : columns) {
    for (const FirstValue& value : column) {
      if (value.kind != Cell::Kind::text) continue;
      double number = 0.0;
      const bool comma = value.text.find(',') != std::string::npos;
      const bool point = value.text.find('.') != std::string::npos;
      if (comma && !parse_number(value.text, ',', number)) {
        ++commas;
        if (has_thousands(value.text)) ++thousands;
      }
      if (point && !parse_number(value.text, '.', number)) ++points;
    }
  }
  return commas > points && thousands < commas ? ',' : '.';
}

}  // namespace splitgp::table
