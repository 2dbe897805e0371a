// Runs a fuzz target without libFuzzer: PROGRAM RUNS [SEED] mutates the target's own seeds; PROGRAM
// FILE... repeats inputs that were found. Deterministic.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) {
  return random() % std::max<std::size_t>(limit, 1);
}

// One to eight small changes of the kinds that parsers get wrong.
std::string mutated(std::string text, const std::vector<std::string>& seeds, Random& random) {
  const std::string special =
      "\",;\t\n\r{}[]:\\.-+eE019\xef\xbb\xbf\x1f\x8b\xfd\x28" + std::string(1, '\0');
  for (std::size_t changes = 1 + below(random, 8); changes > 0; --changes) {
    const std::size_t at = below(random, text.size() + 1);
    switch (below(random, 7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 1:
        if (at < text.size()) text[at] = special[below(random, special.size())];
        break;
      case 2:
        text.insert(at, 1, special[below(random, special.size())]);
        break;
      case 3:
        text.erase(at, below(random, 16));
        break;
      case 4:
        text.insert(at, text.substr(below(random, text.size()), below(random, 40)));
        break;
      case 5:
        text.resize(at);
        break;
      default: {
        const std::string& other = seeds[below(random, seeds.size())];
        text.insert(at, other.substr(below(random, other.size())));
        break;
      }
    }
  }
  text.resize(std::min<std::size_t>(text.size(), 4096));
  return text;
}

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::filesystem::exists(argv[1])) {
    for (int i = 1; i < argc; ++i) {
      std::ifstream in(argv[i], std::ios::binary);
      run({std::istreambuf_iterator<char>(in), {}});
    }
    return 0;
  }
  const std::vector<std::string> seeds = splitgp::testing::fuzz_seeds();
  const long runs = argc > 1 ? std::atol(argv[1]) : 10000;
  Random random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  for (const std::string& seed : seeds) run(seed);
  for (long i = 0; i < runs; ++i) run(mutated(seeds[below(random, seeds.size())], seeds, random));
  std::cout << runs << " mutated inputs\n";
  return 0;
}
