#pragma once

#include <string>
#include <string_view>

namespace splitgp {

/// One line of CSV (RFC 4180), built field by field.
class CsvLine {
 public:
  void add(std::string_view text);  ///< Quoted if necessary.
  void add(double number);          ///< The shortest text that reads back as the same number.
  void add_count(unsigned long long count);
  /// Returns the line with its line break, and starts an empty one.
  std::string take();

 private:
  void separate();
  std::string line_;
  bool begun_ = false;
};

}  // namespace splitgp
