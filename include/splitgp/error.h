#pragma once

#include <stdexcept>

namespace splitgp {

/// The caller's fault: the message names the field, the row and the value.
/// The model is exactly as it was before the call.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Arithmetic that even the last rung of the jitter ladder could not save.
/// The model is exactly as it was before the call.
class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace splitgp
