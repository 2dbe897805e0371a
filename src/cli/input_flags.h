#pragma once

#include <string>

#include "io/open_rows.h"

namespace splitgp {

/// Flags that describe the text of the inputs.
struct InputFlags {
  std::string format = "auto";
  std::string separator;
  std::string decimal;  ///< Empty: found, or as the model has it.
  bool no_header = false;

  InputOptions options() const;
};

}  // namespace splitgp
