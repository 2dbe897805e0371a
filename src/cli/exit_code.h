#pragma once

#include <string>

#include "splitgp/error.h"

namespace splitgp {

/// Exit codes of the command (docs/command.md).
enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,        ///< A file could not be read or written.
  kUsage = 2,          ///< The command line is wrong, or names columns that do not exist.
  kBadRow = 3,         ///< Every row was rejected; with --strict, any row.
  kInterrupted = 128,  ///< Plus the signal number: 130 for Ctrl-C, 143 for SIGTERM.
};

/// Ends the command with one line on standard error and an exit code.
class CommandError : public Error {
 public:
  CommandError(ExitCode code, const std::string& message) : Error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace splitgp
