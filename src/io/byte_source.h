#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "splitgp/error.h"

namespace splitgp {

/// An input that cannot be read: the message names it and the reason.
class ReadError : public Error {
 public:
  using Error::Error;
};

/// Thrown by a read when its Waiter's end_descriptor() becomes readable. A row that has arrived
/// only in part is lost.
class WaitEnded {};

/// What to do while waiting for an input: a pipe may be silent for hours.
class Waiter {
 public:
  virtual ~Waiter() = default;
  /// Called before every wait: the time to flush what is ready.
  virtual void before_wait() = 0;
  /// Time until idle() is due; negative: never.
  virtual int milliseconds_to_idle() = 0;
  virtual void idle() = 0;
  /// Reading ends with WaitEnded when this descriptor becomes readable; negative: never.
  virtual int end_descriptor() const = 0;
};

/// A source of bytes.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Waits for at least one byte, but not for `most`. Returns 0 at the end. Throws ReadError.
  virtual std::size_t read(char* to, std::size_t most) = 0;
};

/// A file, a pipe, or standard input.
class FileSource : public ByteSource {
 public:
  /// `path` "-" is standard input. `waiter` may be null and must outlive the source.
  FileSource(const std::filesystem::path& path, Waiter* waiter);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(char* to, std::size_t most) override;

  std::uint64_t position() const { return position_; }
  double waited_seconds() const { return waited_seconds_; }  ///< Time spent in waits.
  const std::string& name() const { return name_; }

 private:
  void wait();

  std::string name_;
  int descriptor_ = -1;
  Waiter* waiter_ = nullptr;
  std::uint64_t position_ = 0;
  double waited_seconds_ = 0.0;
};

}  // namespace splitgp
