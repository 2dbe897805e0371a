#pragma once

#include <array>
#include <string_view>

#include "table/words.h"

namespace splitgp::table {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

/// A cursor over a text. Each take_…() either consumes what it names or leaves the text alone.
struct Cursor {
  std::string_view rest;

  bool at_end() const { return rest.empty(); }
  char peek() const { return rest.empty() ? '\0' : rest.front(); }
  bool take(char c) {
    if (peek() != c || rest.empty()) return false;
    rest.remove_prefix(1);
    return true;
  }
  void take_spaces() {
    while (take(' ')) {
    }
  }
  std::size_t digits() const {
    std::size_t n = 0;
    while (n < rest.size() && is_digit(rest[n])) ++n;
    return n;
  }
  // A number of exactly `count` digits that `digits` more may follow.
  int take_number(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) value = 10 * value + (rest[i] - '0');
    rest.remove_prefix(count);
    return value;
  }
  // A number of `least` to `most` digits and no more; −1 if there is none.
  int take_number(std::size_t least, std::size_t most) {
    const std::size_t n = digits();
    return n < least || n > most ? -1 : take_number(n);
  }
  // The word as an index into `words`, in full or as its first three letters or more; −1 if none.
  template <std::size_t n>
  int take_word(const std::array<std::string_view, n>& words) {
    std::size_t length = 0;
    while (length < rest.size() && is_letter(rest[length])) ++length;
    for (std::size_t k = 0; k < n && length >= 3; ++k) {
      bool same = length <= words[k].size();
      for (std::size_t i = 0; i < length && same; ++i) same = lower(rest[i]) == words[k][i];
      if (!same) continue;
      rest.remove_prefix(length);
      return static_cast<int>(k);
    }
    return -1;
  }
  bool take_letters(std::string_view word) {
    if (rest.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (lower(rest[i]) != word[i]) return false;
    }
    if (rest.size() > word.size() && is_letter(rest[word.size()])) return false;
    rest.remove_prefix(word.size());
    return true;
  }
};

}  // namespace splitgp::table
