#include "io/json_array.h"

#include <utility>

namespace splitgp {
// Whether the element ends with this character (closed) or before it.
bool ElementScan::ends(char c) {
  if (in_string_) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    }
    return false;
  }
  if (c == '"') in_string_ = true;
  if (c == '{' || c == '[') ++depth_;
  if (depth_ == 0) return c == ',' || c == ']';
  if (c == '}' || c == ']') closed_ = --depth_ == 0;
  return closed_;
}

// Consumes characters that only separate. False at the end of the text.
bool JsonArray::skip_to(TextBuffer& text, std::string_view skipped) {
  while (true) {
    const std::size_t at = text.text().find_first_not_of(skipped);
    if (at != std::string_view::npos) {
      text.consume(at);
      return true;
    }
    text.consume(text.text().size());
    if (!text.fill()) return false;
  }
}

JsonArray::Element JsonArray::take(TextBuffer& text, std::string_view& element,
                                   std::uint64_t& line) {
  constexpr std::string_view kSpace = " \t\r\n";
  if (scanned_ == 0 && !dropping_) line_ = text.line_number();
  line = line_;
  if (place_ == Place::ended) return Element::end;
  if (place_ == Place::before) {
    if (!skip_to(text, kSpace)) return Element::end;
    text.consume(1);  // the bracket
    place_ = Place::between;
  }
  if (place_ == Place::between && scanned_ == 0 && !dropping_) {
    const bool more = skip_to(text, " \t\r\n,");
    line = line_ = text.line_number();
    if (!more) {
      place_ = Place::ended;
      return Element::unclosed;
    }
    if (text.text().front() == ']') {
      text.consume(1);
      place_ = Place::after;
    }
  }
  if (place_ == Place::after) {
    const bool more = skip_to(text, kSpace);
    line = text.line_number();
    place_ = Place::ended;
    return more ? Element::trailing : Element::end;
  }
  for (;; ++scanned_) {
    if (scanned_ == text.text().size()) {
      if (text.too_long()) {
        text.consume(scanned_);
        scanned_ = 0;
        dropping_ = true;
      }
      if (!text.fill()) {
        place_ = Place::ended;
        return Element::unclosed;
      }
    }
    if (scan_.ends(text.text()[scanned_])) break;
  }
  const std::size_t length = std::exchange(scanned_, 0) + (scan_.closed() ? 1 : 0);
  const bool dropped = std::exchange(dropping_, false);
  scan_ = {};
  element = text.text().substr(0, length);
  text.consume(length);
  return dropped || length > text.longest_row() ? Element::too_long : Element::whole;
}

}  // namespace splitgp
