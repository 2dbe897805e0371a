#pragma once

#include <stdexcept>

namespace splitgp {

/// The base class of everything this library throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's fault: the message names the field, the row and the value.
/// The model is exactly as it was before the call.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// A kernel matrix that is not positive definite even with the most jitter allowed.
class NumericalError : public Error {
 public:
  using Error::Error;
};

/// The model was given up: a call that had begun to change it failed, or its file was deleted,
/// moved or replaced while it was open. Every later call throws this, and nothing of it is written.
/// Open the file again: it is as of the last checkpoint.
class UnusableModel : public Error {
 public:
  using Error::Error;
};

/// A model file that cannot be read or written: not one of ours, newer than this library, damaged,
/// in use by another process, or on a full or failing disk. The message names the file and the
/// reason.
class FileError : public Error {
 public:
  using Error::Error;
};

}  // namespace splitgp
