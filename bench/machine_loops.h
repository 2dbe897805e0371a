#pragma once

#include <cstddef>

/// Two loops that do one thing as fast as the processor can. Compiled once for each instruction set
/// that the core is compiled for (bench/CMakeLists.txt), and free of inline functions, so that no
/// code for one instruction set can end up in another's place.
struct MachineLoops {
  /// Reads `count` doubles, a multiple of 64.  REQUIRES: aligned to 64 bytes.
  double (*read)(const double* data, std::size_t count);
  /// Independent multiplications and additions that need no memory; returns how many of both.
  double (*multiply_add)(std::size_t rounds, double* sink);
};
