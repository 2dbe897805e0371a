#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/json_array.h"
#include "io/row_reader.h"
#include "io/text_buffer.h"

namespace splitgp {

/// One JSON object per line, or an array of objects. Keys that were not selected are ignored,
/// whatever their values.
class NdjsonReader : public RowReader {
 public:
  enum class Layout { lines, array };
  NdjsonReader(TextBuffer text, std::string name, Layout layout = Layout::lines);
  ~NdjsonReader() override;

  const std::vector<std::string>& columns() override;
  void select(ColumnSelection selection) override;
  Next next(Row& row, RejectedRow& rejected) override;
  std::uint64_t skip(std::uint64_t rows) override;
  std::string_view front() const override { return text_.front().substr(0, front_size_); }

 private:
  // Where a key's value belongs; either may be absent.
  struct Place {
    std::optional<std::size_t> number;
    std::optional<std::size_t> text;
    std::uint64_t last_row = 0;  // the row it was last seen in, to notice duplicates
  };
  struct Line {
    std::uint64_t number = 0;
    std::string text;  // with the padding that simdjson needs
    bool too_long = false;
    std::string problem = {};    // why it is no row, whatever its text
    std::size_t front_size = 0;  // of the text up to the end of this line
  };
  struct Parser;  // keeps simdjson out of this header

  bool read_line(Line& line);
  bool read_element(Line& line);
  bool next_line(Line& line);
  std::string parse(const Line& line, Row& row, std::string& column);

  TextBuffer text_;
  std::string name_;
  std::optional<JsonArray> array_;
  std::unique_ptr<Parser> parser_;
  Line line_;
  std::deque<Line> looked_at_;  // read for their keys, not yet delivered
  std::size_t front_size_ = 0;  // of the text up to the end of the last line delivered
  std::vector<std::string> columns_;
  bool columns_read_ = false;

  ColumnSelection selection_;
  std::map<std::string, Place, std::less<>> places_;
  std::uint64_t row_ = 0;
};

}  // namespace splitgp
