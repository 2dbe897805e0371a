#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/byte_source.h"
#include "io/open_rows.h"

namespace splitgp::testing {

/// Text that arrives a few bytes at a time.
class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string text, std::size_t at_once = 1 << 16)
      : text_(std::move(text)), at_once_(at_once) {}

  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = text_.copy(to, std::min(most, at_once_), begin_);
    begin_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_once_;
  std::size_t begin_ = 0;
};

/// Everything a reader gets from a text.
struct ReadRows {
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::vector<RejectedRow> rejected;
};

/// Reads the number columns named, or all of them.
inline ReadRows read_text(const std::string& text, const InputOptions& options = {},
                          std::vector<std::string> numbers = {}, std::size_t at_once = 1 << 16,
                          std::vector<std::string> texts = {}) {
  const std::unique_ptr<RowReader> reader =
      read_rows(std::make_unique<TextSource>(text, at_once), "text", options);
  ReadRows result;
  result.columns = reader->columns();
  reader->select({numbers.empty() && texts.empty() ? result.columns : numbers, texts});
  Row row;
  RejectedRow rejected;
  while (true) {
    const RowReader::Next next = reader->next(row, rejected);
    if (next == RowReader::Next::end) return result;
    if (next == RowReader::Next::row) {
      result.rows.push_back(row);
    } else {
      result.rejected.push_back(rejected);
    }
  }
}

}  // namespace splitgp::testing
