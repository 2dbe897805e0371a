// Any bytes as CSV and as NDJSON. Besides not crashing: every row is delivered or rejected,
// delivered numbers are finite, line numbers increase, and skipping rows counts the same rows, from
// the same text, as reading them.
#include <cmath>
#include <cstdlib>
#include <memory>

#include "fuzz/fuzz_target.h"
#include "support/text_source.h"

namespace splitgp::testing {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::uint64_t read_all(const std::string& text, const InputOptions& options, std::size_t at_once) {
  const std::unique_ptr<RowReader> reader =
      read_rows(std::make_unique<TextSource>(text, at_once), "fuzz", options);
  const std::vector<std::string> columns = reader->columns();
  ColumnSelection selection;
  for (std::size_t k = 0; k < columns.size() && k < 3; ++k) {
    (k == 1 ? selection.texts : selection.numbers).push_back(columns[k]);
  }
  reader->select(selection);
  Row row;
  RejectedRow rejected;
  std::uint64_t rows = 0;
  std::uint64_t line = 0;
  while (true) {
    const RowReader::Next next = reader->next(row, rejected);
    if (next == RowReader::Next::end) return rows;
    ++rows;
    if (next == RowReader::Next::rejected) {
      require(!rejected.reason.empty() && rejected.line > line);
      line = rejected.line;
      continue;
    }
    require(row.line > line && row.numbers.size() == selection.numbers.size() &&
            row.texts.size() == selection.texts.size());
    line = row.line;
    for (const double number : row.numbers) require(std::isfinite(number));
  }
}

// The text that the first `rows` rows come from, read or skipped.
std::string front_of(const std::string& text, const InputOptions& options, std::uint64_t rows,
                     bool skip) {
  const std::unique_ptr<RowReader> reader =
      read_rows(std::make_unique<TextSource>(text), "fuzz", options);
  if (skip) {
    require(reader->skip(rows) == rows);
    return std::string(reader->front());
  }
  reader->select({reader->columns(), {}});
  Row row;
  RejectedRow rejected;
  for (std::uint64_t i = 0; i < rows; ++i) {
    require(reader->next(row, rejected) != RowReader::Next::end);
  }
  return std::string(reader->front());
}

void check(const std::string& text, const InputOptions& options) {
  try {
    const std::uint64_t rows = read_all(text, options, 1 << 16);
    require(rows == read_all(text, options, 1 + text.size() % 7));
    const std::unique_ptr<RowReader> reader =
        read_rows(std::make_unique<TextSource>(text, 5), "fuzz", options);
    require(reader->skip(rows + 1) == rows);
    const std::string front = front_of(text, options, rows / 2, true);
    require(front == front_of(text, options, rows / 2, false));
    require(text.find(front) <= 3);  // after a byte order mark
  } catch (const ReadError&) {
  }
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  return {"a,b,c\n1,2,3\n4.5,\"x \"\"y\"\"\nz\",6\r\n",
          "\xef\xbb\xbf"
          "a;b;c\n1,5;2;3\n,,\n\n7;8;9",
          "{\"a\":1,\"b\":\"t\",\"c\":3e5}\n{\"c\":1,\"a\":2,\"b\":[1,{}]}\n",
          "{\"a\":null,\"b\":true,\"c\":{\"d\":\"\\u00e9\"}}\nnot json\n", "a\tb\n1\t\"2\n3\t4\n"};
}

}  // namespace splitgp::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace splitgp;
  const std::string text(reinterpret_cast<const char*>(data), size);
  InputOptions options;
  options.longest_row = 300;  // so that long rows are among the inputs
  for (const RowFormat format : {RowFormat::automatic, RowFormat::csv, RowFormat::ndjson}) {
    options.format = format;
    splitgp::testing::check(text, options);
  }
  options.csv.decimal_mark = ',';
  options.csv.header = false;
  splitgp::testing::check(text, options);
  return 0;
}
