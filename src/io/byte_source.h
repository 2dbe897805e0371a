#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace splitgp {

/// An input that cannot be read: the message names it and the reason.
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown out of a read when its Waiter's end_descriptor() asks for the end. What had arrived and
/// made no whole row yet is lost to this reader.
class WaitEnded {};

/// What happens while an input has nothing to say. A pipe may be silent for hours.
class Waiter {
 public:
  virtual ~Waiter() = default;
  /// Before every wait: the moment to hand on what is ready.
  virtual void before_wait() = 0;
  /// Until idle() is due; negative: never.
  virtual int milliseconds_to_idle() = 0;
  virtual void idle() = 0;
  /// A descriptor that becomes readable when reading is to end with WaitEnded; negative: none.
  virtual int end_descriptor() const = 0;
};

/// Bytes, as they arrive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Waits for at least one byte, never for `most` of them; 0 is the end. Throws ReadError.
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
  double waited_seconds() const { return waited_seconds_; }  ///< For bytes to arrive.
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
