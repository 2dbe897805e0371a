// Learns a stream and prints predictions as hexadecimal floats, one query in a line: what
// python/tests/test_same_bits.py compares the package with. The numbers come from there too, on
// standard input: computed here, a fused multiply-add would make others of them.
//   reference_stream OBSERVATIONS QUERIES [paper] < rows of 3 inputs and 2 outputs, rows of 3
//   inputs

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "splitgp/splitting_gp.h"

namespace {

constexpr Eigen::Index kInputs = 3;
constexpr Eigen::Index kOutputs = 2;

Eigen::VectorXd read(Eigen::Index size) {
  Eigen::VectorXd values(size);
  const auto count = static_cast<std::size_t>(size);
  if (std::fread(values.data(), sizeof(double), count, stdin) != count) std::exit(1);
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  splitgp::Options options;
  if (argc > 3 && std::string_view(argv[3]) == "paper") options = splitgp::Options::paper();
  options.split_limit = 60;
  options.seed = 7;
  splitgp::SplittingGp gp(kInputs, kOutputs, options);

  for (int i = std::atoi(argv[1]); i > 0; --i) {
    const Eigen::VectorXd x = read(kInputs);
    const Eigen::VectorXd y = read(kOutputs);
    gp.update(x, y);
  }
  for (int i = std::atoi(argv[2]); i > 0; --i) {
    const splitgp::Prediction p = gp.predict(read(kInputs));
    for (Eigen::Index o = 0; o < kOutputs; ++o) {
      std::printf("%a %a %a ", p.mean(o, 0), p.variance(o, 0), p.noise_variance(o, 0));
    }
    std::printf("\n");
  }
}
