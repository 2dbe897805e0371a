#include "io/csv_writer.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace splitgp {

void CsvLine::separate() {
  if (std::exchange(begun_, true)) line_ += ',';
}

void CsvLine::add(std::string_view text) {
  separate();
  // Other separators too, so that a reader that guesses from the header guesses right.
  if (text.find_first_of(",\"\r\n;\t|") == std::string_view::npos) {
    line_ += text;
    return;
  }
  line_ += '"';
  for (const char c : text) {
    if (c == '"') line_ += '"';
    line_ += c;
  }
  line_ += '"';
}

void CsvLine::add(double number) {
  separate();
  fmt::format_to(std::back_inserter(line_), "{}", number);
}

void CsvLine::add_count(unsigned long long count) {
  separate();
  fmt::format_to(std::back_inserter(line_), "{}", count);
}

std::string CsvLine::take() {
  begun_ = false;
  return std::exchange(line_, {}) + '\n';
}

}  // namespace splitgp
