#pragma once

namespace splitgp {

/// The splitgp command: parses the arguments, runs the part they name and returns the exit code.
/// Nothing is thrown; an error is one line on standard error.
int run_command(int argc, const char* const* argv);

}  // namespace splitgp
