#pragma once

#include <string>
#include <vector>

#include "cli/input_flags.h"

namespace splitgp {

/// `splitgp predict`: rows in, the same rows with predictions out.
struct PredictFlags {
  std::string path;
  std::string model;
  std::string output = "-";
  std::string to;
  std::vector<std::string> kept;
  std::string rejects;
  bool strict = false;
  bool gradient = false;
  std::string ahead;
  int threads = 1;
  InputFlags input_flags;
};

/// Returns the exit code; throws CommandError, ReadError, FileError.
int run_predict(const PredictFlags& flags);

}  // namespace splitgp
