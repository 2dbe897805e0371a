#pragma once

#include <stdexcept>
#include <string>

namespace splitgp {

/// What the command tells the shell; docs/command.md.
enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,        ///< A file that cannot be read or written.
  kUsage = 2,          ///< The command line, or columns that are not there.
  kBadRow = 3,         ///< Every row was rejected, or one with --strict.
  kInterrupted = 128,  ///< Plus the signal: 130 after Ctrl-C, 143 after SIGTERM.
};

/// Ends the command with one line on standard error and an exit code.
class CommandError : public std::runtime_error {
 public:
  CommandError(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace splitgp
