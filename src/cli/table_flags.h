#pragma once

#include <string>
#include <vector>

#include "cli/columns.h"
#include "table/wishes.h"

namespace CLI {
class App;
}

namespace splitgp {

/// Flags that say what the columns of a table are; what they leave open is found from the first
/// rows.
struct TableFlags {
  std::vector<std::string> as;
  std::vector<std::string> times;
  std::string cycles;
  std::vector<std::string> missing;
  std::string fill;
  std::vector<std::string> lags;
  std::string by;
  int horizon = 0;

  void add_to(CLI::App& command);
  /// With the columns of the input, by name or number, resolved to names. Throws CommandError.
  table::Wishes wishes(const std::vector<std::string>& columns) const;
};

}  // namespace splitgp
