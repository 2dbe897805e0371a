#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "io/open_rows.h"

namespace splitgp {

/// What the text of the inputs looks like, as flags.
struct InputFlags {
  std::string format = "auto";
  std::string separator;
  std::string decimal = ".";
  bool no_header = false;

  void add_to(CLI::App& command);
  InputOptions options() const;
};

}  // namespace splitgp
