#include "machine_loops.h"

namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
using Register = double __attribute__((vector_size(kBytes)));
constexpr int kWidth = kBytes / static_cast<int>(sizeof(double));

double sum_of(Register r) {
  double sum = 0.0;
  for (int i = 0; i < kWidth; ++i) sum += r[i];
  return sum;
}

double read(const double* data, std::size_t count) {
  constexpr int kTogether = 8;
  Register sum[kTogether] = {};
  const auto* at = reinterpret_cast<const Register*>(data);
  for (std::size_t i = 0; i < count; i += kTogether * kWidth, at += kTogether) {
#pragma GCC unroll 8
    for (int j = 0; j < kTogether; ++j) sum[j] += at[j];
  }
  double result = 0.0;
  for (const Register& r : sum) result += sum_of(r);
  return result;
}

// Ten chains: enough to keep two units with a latency of four cycles busy.
double multiply_add(std::size_t rounds, double* sink) {
  constexpr int kChains = 10;
  Register x[kChains];
  for (int j = 0; j < kChains; ++j) x[j] = Register{} + *sink + j;
  const Register a = Register{} + (1.0 - 1e-9), b = Register{} + 1e-9;
  for (std::size_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 10
    for (int j = 0; j < kChains; ++j) x[j] = a * x[j] + b;
  }
  for (const Register& r : x) *sink += sum_of(r);
  return 2.0 * kChains * kWidth * static_cast<double>(rounds);
}

}  // namespace

extern "C" const MachineLoops MACHINE_LOOPS{read, multiply_add};
