#pragma once

namespace splitgp {

/// While one exists, SIGINT and SIGTERM ask for an orderly end instead of killing the process. A
/// second signal of the same kind kills. At most one at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// The signal that came; 0: none.
  int received() const;
  /// Becomes readable with the signal, so that a wait for input can end.
  int descriptor() const;
};

}  // namespace splitgp
