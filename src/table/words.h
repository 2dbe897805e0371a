#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace splitgp::table {

/// An ASCII letter as a small one; anything else as it is.
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether a text means that there is no value: empty, NA, N/A, NaN, null, ?, -, in any case.
bool is_gap_text(std::string_view text);

/// Small letters, without the spaces around it; underscores and dashes become spaces.
std::string plain_word(std::string_view text);

/// {no, yes} as plain words, if all `words` are one of them; empty otherwise.
std::vector<std::string> boolean_words(std::span<const std::string> words);

/// The scale that holds all `words`, lowest first, such as low, medium, high; empty if there is
/// none. Words that mean the same place are joined by |.
std::vector<std::string> ordered_scale(std::span<const std::string> words);

/// The place of a plain word on a scale, from 0; −1 if it is not on it.
int place_on_scale(const std::vector<std::string>& scale, std::string_view word);

/// Whether a column's name says that it holds a time: time, timestamp, unix, epoch, …
bool is_time_name(std::string_view name);

}  // namespace splitgp::table
