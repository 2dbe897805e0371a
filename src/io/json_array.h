#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/text_buffer.h"

namespace splitgp {

/// Follows an element of a JSON array until it ends: with its last brace, or, if it has none,
/// before a comma or the bracket that closes the array.
class ElementScan {
 public:
  bool ends(char c);
  bool closed() const { return closed_; }

 private:
  bool in_string_ = false;
  bool escaped_ = false;
  bool closed_ = false;
  std::size_t depth_ = 0;
};

/// The elements of a JSON array, [{…}, {…}], one after the other, as if each stood on a line of its
/// own. Each is there as soon as its last brace has arrived.
class JsonArray {
 public:
  enum class Element {
    whole,
    too_long,  ///< Longer than a row may be; it was dropped.
    unclosed,  ///< The text ends before the array does, perhaps within an element.
    trailing,  ///< There is text after the array.
    end,
  };

  /// Consumes the next element. `element` is valid until the next call, `line` where it begins. If
  /// the source throws, the call may be repeated.
  Element take(TextBuffer& text, std::string_view& element, std::uint64_t& line);

 private:
  enum class Place { before, between, after, ended };
  bool skip_to(TextBuffer& text, std::string_view skipped);

  Place place_ = Place::before;
  ElementScan scan_;         // of the element that has not ended yet, …
  std::size_t scanned_ = 0;  // … of which so much is in the buffer …
  bool dropping_ = false;    // … and what came before was too long to keep
  std::uint64_t line_ = 0;
};

}  // namespace splitgp
