#include <stdexcept>
#include <string>

#include "rivals/compiled_rivals.h"
#include "splitgp/instruction_set.h"

extern "C" {
extern const splitgp::rivals::CompiledRivals splitgp_rivals_baseline;
#ifdef SPLITGP_AVX2
extern const splitgp::rivals::CompiledRivals splitgp_rivals_avx2;
#endif
#ifdef SPLITGP_AVX512
extern const splitgp::rivals::CompiledRivals splitgp_rivals_avx512;
#endif
}

namespace splitgp::rivals {
namespace {

const CompiledRivals& choose() {
  const std::string wanted = instruction_set();
  for (const CompiledRivals* compiled : {
           &splitgp_rivals_baseline,
#ifdef SPLITGP_AVX2
           &splitgp_rivals_avx2,
#endif
#ifdef SPLITGP_AVX512
           &splitgp_rivals_avx512,
#endif
       }) {
    if (compiled->instruction_set == wanted) return *compiled;
  }
  throw std::logic_error("the rivals were not compiled for " + wanted);
}

}  // namespace

const CompiledRivals& compiled_rivals() {
  static const CompiledRivals& chosen = choose();
  return chosen;
}

}  // namespace splitgp::rivals
