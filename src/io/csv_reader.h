#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/row_reader.h"
#include "io/text_buffer.h"

namespace splitgp {

struct CsvOptions {
  char separator = '\0';  ///< '\0': the most frequent of , ; tab | in the header.
  char decimal_mark = '.';
  bool header = true;  ///< false: the columns are named 1, 2, 3, …
};

/// Separated values with the quoting of RFC 4180: "a ""quoted"" field", line breaks within quotes.
/// A quote that is never closed costs only its own line, not the rest of the input.
class CsvReader : public RowReader {
 public:
  CsvReader(TextBuffer text, std::string name, CsvOptions options);

  const std::vector<std::string>& columns() override;
  void select(ColumnSelection selection) override;
  Next next(Row& row, RejectedRow& rejected) override;
  std::uint64_t skip(std::uint64_t rows) override;
  std::string_view front() const override { return text_.front(); }

 private:
  enum class Scan { record, open_quote, stray_quote, too_long, end };
  Scan scan(std::size_t& length);
  Next next_record(RejectedRow& rejected);
  std::string reason_to_reject(Scan found) const;
  void split_fields(std::string_view record);
  void detect_separator();
  void read_header();
  std::string& new_field();

  TextBuffer text_;
  std::string name_;
  CsvOptions options_;
  bool header_read_ = false;
  bool drop_line_ = false;     // the next line was rejected and is still to be dropped
  bool first_is_row_ = false;  // without a header, the first record still has to be delivered
  std::vector<std::string> columns_;
  std::vector<std::string> fields_;  // of the current record; more than n_fields_ are spare
  std::size_t n_fields_ = 0;
  std::uint64_t record_line_ = 0;

  ColumnSelection selection_;
  std::vector<std::size_t> number_fields_;
  std::vector<std::size_t> text_fields_;
  std::string missing_column_;  // if not empty, the reason to reject every row
};

}  // namespace splitgp
