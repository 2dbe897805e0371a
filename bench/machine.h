#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "core/base/factor_memory.h"
#include "machine_loops.h"
#include "measure.h"

extern "C" {
extern const MachineLoops machine_loops_baseline;
#ifdef SPLITGP_VARIANTS
extern const MachineLoops machine_loops_avx2;
extern const MachineLoops machine_loops_avx512;
#endif
}

namespace bench {

/// The best one core of this machine can do, with the instruction set that the engine uses here.
class Machine {
 public:
  /// Bytes per second, read over and over from a buffer of this size: from the cache it fits into,
  /// or from memory, on the large pages that factors lie on.
  static double read_rate(double bytes) {
    const auto count = static_cast<std::size_t>(bytes / 8.0) / 64 * 64;
    const std::vector<double, splitgp::FactorAllocator<double>> buffer(count, 1.0);
    const int passes = std::max(1, static_cast<int>(2e7 / bytes));
    return best_rate([&] {
      double sum = 0.0;
      for (int i = 0; i < passes; ++i) sum += loops().read(buffer.data(), count);
      benchmark::DoNotOptimize(sum);
      return 8.0 * static_cast<double>(count) * passes;
    });
  }

  /// Seconds to read one block of this size, somewhere in a buffer of `bytes`.
  static double scattered_read_seconds(double bytes, double block_bytes) {
    const auto count = static_cast<std::size_t>(block_bytes / 8.0) / 64 * 64;
    const Eigen::VectorXd buffer = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(bytes / 8.0));
    constexpr int kBlocks = 2000;
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::size_t> line(
        0, (static_cast<std::size_t>(buffer.size()) - count) / 8);
    return 1.0 / best_rate([&] {
             double sum = 0.0;
             for (int i = 0; i < kBlocks; ++i)
               sum += loops().read(buffer.data() + 8 * line(random), count);
             benchmark::DoNotOptimize(sum);
             return kBlocks;
           });
  }

  /// Floating-point operations per second.
  static double flop_rate() {
    double sink = 1.0;
    return best_rate([&] {
      const double done = loops().multiply_add(200000, &sink);
      benchmark::DoNotOptimize(sink);
      return done;
    });
  }

 private:
  static const MachineLoops& loops() {
#ifdef SPLITGP_VARIANTS
    const std::string name = splitgp::instruction_set();
    if (name == "avx512") return machine_loops_avx512;
    if (name == "avx2") return machine_loops_avx2;
#endif
    return machine_loops_baseline;
  }

  // The best of several rounds: a busy machine can only be slower.
  template <typename Work>
  static double best_rate(const Work& work) {
    double best = 0.0;
    for (int round = 0; round < 15; ++round) {
      const double began = thread_seconds();
      const double done = work();
      best = std::max(best, done / (thread_seconds() - began));
    }
    return best;
  }
};

}  // namespace bench
