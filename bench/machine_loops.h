#pragma once

#include <cstddef>

/// Two loops that each do one thing as fast as the processor can. Compiled for the same instruction
/// sets as the core (bench/CMakeLists.txt), and free of inline functions, so that no code for one
/// instruction set can replace another's.
struct MachineLoops {
  /// Reads `count` doubles, a multiple of 64.  REQUIRES: aligned to 64 bytes.
  double (*read)(const double* data, std::size_t count);
  /// Independent multiplications and additions without memory access; returns how many there were.
  double (*multiply_add)(std::size_t rounds, double* sink);
};
