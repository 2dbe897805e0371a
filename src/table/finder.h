#pragma once

#include <string>
#include <vector>

#include "table/column_look.h"
#include "table/recipe.h"

namespace splitgp::table {

/// How many first rows a recipe is found from, at most.
inline constexpr std::size_t kFirstRows = 1000;

struct Found {
  Recipe recipe;
  /// What a person should know beside Recipe::explanation(): a code that looks like a missing
  /// value, a date that could be read either way; each with the flag that decides.
  std::vector<std::string> remarks;
  /// The columns that were left out because none of the rows had a value there.
  std::vector<std::string> empty = {};
};

/// Looks at the first rows of a table, and says what each column was taken for and why.
class RecipeFinder {
 public:
  /// `columns` are all columns of the table; the cells of a row are in that order.
  RecipeFinder(std::vector<std::string> columns, Wishes wishes);
  /// Copies the cells.
  void add(Cells cells);
  std::size_t rows() const { return rows_; }
  /// The rows are all there are: what is constant in them is constant.
  void set_complete() { complete_ = true; }
  /// Throws InvalidArgument that names the flag or the column if there can be no recipe.
  Found find() const;

 private:
  std::vector<std::string> columns_;
  Wishes wishes_;
  std::vector<std::vector<FirstValue>> values_;  // of each column
  std::size_t rows_ = 0;
  bool complete_ = false;
};

}  // namespace splitgp::table
