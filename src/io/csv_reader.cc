#include "io/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/column_places.h"
#include "io/number.h"
#include "io/printable.h"

namespace splitgp {

CsvReader::CsvReader(TextBuffer text, std::string name, CsvOptions options)
    : text_(std::move(text)), name_(std::move(name)), options_(options) {}

// Finds the end of the next record, ignoring line breaks within quotes. `length` excludes the final
// line break.
CsvReader::Scan CsvReader::scan(std::size_t& length) {
  enum class State { field_start, plain, in_quotes, after_quote, after_return };
  State state = State::field_start;
  for (std::size_t i = 0;; ++i) {
    if (i == text_.text().size()) {
      if (text_.too_long()) return state == State::in_quotes ? Scan::open_quote : Scan::too_long;
      if (!text_.fill()) {
        length = i;
        if (state == State::in_quotes) return Scan::open_quote;
        return i == 0 ? Scan::end : Scan::record;
      }
    }
    const char c = text_.text()[i];
    if (state == State::in_quotes) {
      if (c == '"') state = State::after_quote;
    } else if (c == '\n') {
      length = i;
      return i > text_.longest_row() ? Scan::too_long : Scan::record;
    } else if (state == State::after_return) {
      return Scan::stray_quote;
    } else if (c == options_.separator) {
      state = State::field_start;
    } else if (state == State::field_start) {
      state = c == '"' ? State::in_quotes : State::plain;
    } else if (state == State::after_quote) {
      if (c != '"' && c != '\r') return Scan::stray_quote;
      state = c == '"' ? State::in_quotes : State::after_return;
    }
  }
}

std::string& CsvReader::new_field() {
  if (n_fields_ == fields_.size()) fields_.emplace_back();
  std::string& field = fields_[n_fields_++];
  field.clear();
  return field;
}

void CsvReader::split_fields(std::string_view record) {
  n_fields_ = 0;
  std::size_t at = 0;
  while (true) {
    std::string& field = new_field();
    if (at < record.size() && record[at] == '"') {
      for (++at; at < record.size(); ++at) {
        if (record[at] == '"' && (++at == record.size() || record[at] != '"')) break;
        field += record[at];
      }
    } else {
      const std::size_t end = std::min(record.find(options_.separator, at), record.size());
      field = record.substr(at, end - at);
      at = end;
    }
    if (at >= record.size()) return;
    ++at;  // the separator
  }
}

std::string CsvReader::reason_to_reject(Scan found) const {
  if (found == Scan::open_quote) return "a quoted field is not closed";
  if (found == Scan::stray_quote) return "a closing quote is not followed by a separator";
  return fmt::format("the row is longer than {} bytes", text_.longest_row());
}

RowReader::Next CsvReader::next_record(RejectedRow& rejected) {
  // Only the first line of what was rejected: the lines after it may be sound.
  if (drop_line_) {
    std::string_view line;
    text_.take_line(line);
    drop_line_ = false;
  }
  while (true) {
    std::size_t length = 0;
    const Scan found = scan(length);
    if (found == Scan::end) return Next::end;
    if (found != Scan::record) {
      rejected.line = text_.line_number();
      rejected.reason = reason_to_reject(found);
      drop_line_ = true;
      return Next::rejected;
    }
    record_line_ = text_.line_number();
    std::string_view record = text_.text().substr(0, length);
    const std::size_t used = length + (length < text_.text().size() ? 1 : 0);
    if (record.ends_with('\r')) record.remove_suffix(1);
    const bool blank = record.find_first_not_of(" \t") == std::string_view::npos &&
                       record.find(options_.separator) == std::string_view::npos;
    if (!blank) split_fields(record);
    text_.consume(used);
    if (!blank) return Next::row;
  }
}

void CsvReader::detect_separator() {
  if (options_.separator != '\0') return;
  constexpr std::array<char, 4> kCandidates{',', ';', '\t', '|'};
  std::array<std::size_t, kCandidates.size()> counts{};
  bool in_quotes = false;
  bool begun = false;
  for (std::size_t i = 0;; ++i) {
    if (i == text_.text().size() && (text_.too_long() || !text_.fill())) break;
    const char c = text_.text()[i];
    if (c == '"') in_quotes = !in_quotes;
    if (c == '\n' && !in_quotes && begun) break;
    begun = begun || (c != '\n' && c != '\r');
    for (std::size_t k = 0; k < kCandidates.size() && !in_quotes; ++k) {
      if (c == kCandidates[k]) ++counts[k];
    }
  }
  // With decimal commas, a comma does not separate.
  if (options_.decimal_mark == ',') counts[0] = 0;
  const auto most = std::max_element(counts.begin(), counts.end());
  options_.separator = *most == 0 && options_.decimal_mark == ','
                           ? ';'
                           : kCandidates[static_cast<std::size_t>(most - counts.begin())];
}

void CsvReader::read_header() {
  header_read_ = true;
  detect_separator();
  RejectedRow rejected;
  const Next first = next_record(rejected);
  if (first == Next::rejected) {
    throw ReadError(fmt::format("{}: line {}: the {} cannot be read: {}", name_, rejected.line,
                                options_.header ? "header" : "first row", rejected.reason));
  }
  if (first == Next::end) return;
  for (std::size_t i = 0; i < n_fields_; ++i) {
    std::string name = options_.header ? fields_[i] : "";
    name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));
    name.erase(name.find_last_not_of(" \t") + 1);
    columns_.push_back(name.empty() ? std::to_string(i + 1) : std::move(name));
  }
  first_is_row_ = !options_.header;
}

const std::vector<std::string>& CsvReader::columns() {
  if (!header_read_) read_header();
  return columns_;
}

void CsvReader::select(ColumnSelection selection) {
  columns();
  missing_column_.clear();
  const ColumnPlaces header(columns_);
  const auto places = [&](const std::vector<std::string>& names) {
    std::vector<std::size_t> result;
    for (const std::string& name : names) {
      const std::optional<std::size_t> found = header.find(name);
      if (!found && missing_column_.empty()) {
        missing_column_ = fmt::format("the header has no column {}", shown(name));
      } else if (header.repeated(name)) {
        missing_column_ = fmt::format("the header has column {} twice", shown(name));
      }
      result.push_back(found.value_or(columns_.size()));
    }
    return result;
  };
  number_fields_ = places(selection.numbers);
  text_fields_ = places(selection.texts);
  selection_ = std::move(selection);
}

RowReader::Next CsvReader::next(Row& row, RejectedRow& rejected) {
  if (!header_read_) read_header();
  rejected.column.clear();
  if (!std::exchange(first_is_row_, false)) {
    const Next outcome = next_record(rejected);
    if (outcome != Next::row) return outcome;
  }
  rejected.line = row.line = record_line_;
  if (!missing_column_.empty()) {
    rejected.reason = missing_column_;
    return Next::rejected;
  }
  if (n_fields_ != columns_.size()) {
    rejected.reason = fmt::format("the row has {} {}, but the header has {}", n_fields_,
                                  n_fields_ == 1 ? "field" : "fields", columns_.size());
    return Next::rejected;
  }
  row.numbers.resize(number_fields_.size());
  for (std::size_t k = 0; k < number_fields_.size(); ++k) {
    const std::optional<std::string> problem =
        parse_number(fields_[number_fields_[k]], options_.decimal_mark, row.numbers[k]);
    if (problem) {
      rejected.column = selection_.numbers[k];
      rejected.reason = fmt::format("column {}: {}", shown(rejected.column), *problem);
      return Next::rejected;
    }
  }
  row.texts.resize(text_fields_.size());
  for (std::size_t k = 0; k < text_fields_.size(); ++k) row.texts[k] = fields_[text_fields_[k]];
  return Next::row;
}

std::uint64_t CsvReader::skip(std::uint64_t rows) {
  if (!header_read_) read_header();
  RejectedRow ignored;
  for (std::uint64_t skipped = 0; skipped < rows; ++skipped) {
    if (std::exchange(first_is_row_, false)) continue;
    if (next_record(ignored) == Next::end) return skipped;
  }
  return rows;
}

}  // namespace splitgp
