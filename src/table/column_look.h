#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "table/recipe.h"

namespace splitgp::table {

/// A cell of the first rows, kept.
struct FirstValue {
  Cell::Kind kind = Cell::Kind::missing;
  double number = 0.0;
  std::string text;

  Cell cell() const { return {kind, number, text}; }
};

/// What the first rows have in one column.
struct ColumnLook {
  std::size_t rows = 0;
  std::size_t gaps = 0;
  std::size_t numbers = 0;  ///< Values that are numbers.
  std::size_t stamps = 0;   ///< Values that are a date, a time of day, or both, and no numbers.
  std::size_t times = 0;    ///< Of these, from a program that has parsed them.
  std::map<std::string, std::size_t> levels;  ///< Different texts, and how often each came.
  std::size_t letters = 0;                    ///< Of all texts together.
  double low = 0.0, high = 0.0, mean = 0.0;   ///< Of the numbers.
  bool whole = true;                          ///< All numbers are.
  bool counts_rows = false;                   ///< Each number is the one before plus 1.
  /// A number that looks like a code for "nothing", as it is written; empty if there is none.
  std::string code;
  std::size_t code_count = 0;

  std::size_t values() const { return rows - gaps; }
};

struct GapRule {
  std::vector<std::string> texts;
  std::vector<double> numbers;
  char decimal_mark = '.';

  bool is_gap(const FirstValue& value) const;
};

/// The numbers of a column; NaN where it has none.
std::vector<double> numbers_in(const std::vector<FirstValue>& values, const GapRule& gaps);

ColumnLook look_at(const std::vector<FirstValue>& values, const GapRule& gaps);

/// ',' if more numbers are written with a decimal comma than with a point.
char find_decimal_mark(const std::vector<std::vector<FirstValue>>& columns);

}  // namespace splitgp::table
