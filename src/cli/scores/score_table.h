#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "cli/scores/scores.h"

namespace splitgp {

/// "1,234,567".
std::string with_separators(std::uint64_t number);
/// "1 row", "1,234 rows".
std::string counted(std::uint64_t number, const std::string& noun);
/// Four significant digits; "–" for NaN.
std::string short_number(double number);

/// The table of `stream` and `demo`, with a line at 1, 2, 4, 8, … rows.
class ScoreTable {
 public:
  /// With several outputs the figures are normalised and the header says so.
  ScoreTable(std::FILE* to, bool normalised) : to_(to), normalised_(normalised) {}

  /// Prints the header before the first line.
  void print(const ScoreLine& line);
  void print_rule();

 private:
  std::FILE* to_;
  bool normalised_;
  bool begun_ = false;
};

}  // namespace splitgp
