#include "table/words.h"

#include <algorithm>
#include <array>

#include "io/number.h"

namespace splitgp::table {
namespace {

using Scale = std::vector<std::string>;

const std::array<Scale, 5>& booleans() {
  static const std::array<Scale, 5> kPairs{
      {{"false", "true"}, {"no", "yes"}, {"n", "y"}, {"f", "t"}, {"off", "on"}}};
  return kPairs;
}

const std::array<Scale, 6>& scales() {
  static const std::array<Scale, 6> kScales{{
      {"none", "very low|verylow|lowest", "low", "medium|med|mid|moderate|normal", "high",
       "very high|veryhigh|highest", "extreme|critical"},
      {"tiny|very small", "small", "medium|mid", "large|big", "huge|very large"},
      {"xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"},
      {"terrible|very bad|very poor", "bad|poor", "fair|average|ok|okay", "good", "very good",
       "excellent|great"},
      {"never", "rarely|seldom", "sometimes|occasionally", "often|frequently", "always"},
      {"freezing", "cold", "cool", "mild", "warm", "hot"},
  }};
  return kScales;
}

bool holds(const Scale& scale, std::span<const std::string> words) {
  return !words.empty() && std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return place_on_scale(scale, word) >= 0;
  });
}

}  // namespace

bool is_gap_text(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 4) return false;
  constexpr std::array<std::string_view, 7> kNames{"", "na", "n/a", "nan", "null", "?", "-"};
  return std::any_of(kNames.begin(), kNames.end(), [text](std::string_view name) {
    return text.size() == name.size() && std::equal(text.begin(), text.end(), name.begin(),
                                                    [](char a, char b) { return lower(a) == b; });
  });
}

std::string plain_word(std::string_view text) {
  std::string word(trimmed(text));
  for (char& c : word) c = c == '_' || c == '-' ? ' ' : lower(c);
  return word;
}

std::vector<std::string> boolean_words(std::span<const std::string> words) {
  for (const Scale& pair : booleans()) {
    if (holds(pair, words)) return pair;
  }
  return {};
}

std::vector<std::string> ordered_scale(std::span<const std::string> words) {
  if (words.size() < 2) return {};  // one word is no order
  for (const Scale& scale : scales()) {
    if (holds(scale, words)) return scale;
  }
  return {};
}

int place_on_scale(const std::vector<std::string>& scale, std::string_view word) {
  for (std::size_t k = 0; k < scale.size(); ++k) {
    std::string_view rest = scale[k];
    while (true) {
      const std::size_t bar = rest.find('|');
      if (rest.substr(0, bar) == word) return static_cast<int>(k);
      if (bar == std::string_view::npos) break;
      rest.remove_prefix(bar + 1);
    }
  }
  return -1;
}

bool is_time_name(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames{
      "time", "timestamp", "datetime", "date", "unix", "epoch", "unixtime", "ts", "unix time"};
  // Any of its words: event_time, timestamp_ms, "time (s)".
  std::string word;
  std::string letters(name);
  letters += ' ';
  for (const char c : letters) {
    const char small = lower(c);
    if (small >= 'a' && small <= 'z') {
      word += small;
      continue;
    }
    if (std::find(kNames.begin(), kNames.end(), word) != kNames.end()) return true;
    word.clear();
  }
  return false;
}

}  // namespace splitgp::table
