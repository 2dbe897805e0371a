#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/byte_source.h"

namespace splitgp {

/// The text of an input that has been read and not yet consumed. Whatever the input contains, it
/// holds little more than the longest row allowed.
class TextBuffer {
 public:
  /// Skips a UTF-8 byte order mark. Throws ReadError if the text is UTF-16.
  TextBuffer(std::unique_ptr<ByteSource> source, const std::string& name, std::size_t longest_row);

  std::string_view text() const { return std::string_view(buffer_).substr(begin_); }
  /// Reads more text; returns false at the end.
  bool fill();
  bool too_long() const { return text().size() > longest_row_; }
  std::size_t longest_row() const { return longest_row_; }

  /// Drops the first `count` characters of text() and counts their lines.
  void consume(std::size_t count);

  enum class Line { whole, too_long, end };
  /// Consumes the next line; if the source throws, the call may be repeated. `line` is the line
  /// without its line break, valid until the next call. A line that is too long is dropped as it
  /// arrives.
  Line take_line(std::string_view& line);

  /// Whether the next line is longer than a row may be. Reads no further than necessary to tell.
  bool first_line_too_long();

  /// The first 64 KiB of the text consumed so far.
  std::string_view front() const { return front_; }

  /// The line that text() starts in, from 1.
  std::uint64_t line_number() const { return line_number_; }

 private:
  std::unique_ptr<ByteSource> source_;
  std::size_t longest_row_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::string front_;
  std::uint64_t line_number_ = 1;
  bool ended_ = false;
  bool dropping_ = false;  // the rest of a line that is too long
};

}  // namespace splitgp
