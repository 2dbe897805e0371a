#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/input_flags.h"
#include "cli/model_flags.h"
#include "cli/table_flags.h"

namespace splitgp {

/// `splitgp stream`: each row is predicted, then learned.
struct StreamFlags {
  std::vector<std::string> paths;
  std::string config;  ///< The file that some of these flags are from.
  std::vector<std::string> targets;
  std::vector<std::string> inputs;
  std::vector<std::string> ignored;
  std::string model;
  std::string predictions;
  std::string rejects;
  std::string events;
  bool strict = false;
  bool test_only = false;
  std::optional<std::uint64_t> limit;
  std::string durability = "full";
  std::uint64_t batch = 1024;
  double commit_every = 1.0;
  bool reread = false;
  bool resume_stdin = false;
  bool explain_recipe = false;
  TableFlags table_flags;
  ModelFlags model_flags;
  InputFlags input_flags;
};

/// Returns the exit code; throws CommandError, ReadError, FileError.
int run_stream(const StreamFlags& flags);

}  // namespace splitgp
