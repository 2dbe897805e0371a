#pragma once

namespace splitgp {

/// While one exists, SIGINT and SIGTERM request an orderly end instead of killing the process; a
/// second signal of the same kind kills it. At most one may exist at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// The signal received; 0 if none.
  int received() const;
  /// Becomes readable when the signal arrives, so that a wait for input can end.
  int descriptor() const;
};

}  // namespace splitgp
