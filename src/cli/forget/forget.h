#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace splitgp {

/// `splitgp forget`: takes observations back, from the model and from the bytes of its file.
struct ForgetFlags {
  std::string model;
  std::string rows;                     ///< "10-20,57"
  std::optional<std::uint64_t> before;  ///< From 1.
};

/// Returns the exit code; throws CommandError, InvalidArgument, FileError.
int run_forget(const ForgetFlags& flags);

}  // namespace splitgp
