#include <cstdlib>
#include <cstring>
#include <string>

#include "core/model/compiled_core.h"
#include "splitgp/error.h"
#include "splitgp/instruction_set.h"

extern "C" {
extern const splitgp::CompiledCore splitgp_core_baseline;
#ifdef SPLITGP_AVX2
extern const splitgp::CompiledCore splitgp_core_avx2;
#endif
#ifdef SPLITGP_AVX512
extern const splitgp::CompiledCore splitgp_core_avx512;
#endif
}

namespace splitgp {
namespace {

// What this processor can run, best first.
std::vector<const CompiledCore*> runnable() {
  std::vector<const CompiledCore*> result;
  // The builtins ask the operating system too: it must save the wider registers.
#ifdef SPLITGP_AVX512
  if (__builtin_cpu_supports("x86-64-v4")) result.push_back(&splitgp_core_avx512);
#endif
#ifdef SPLITGP_AVX2
  if (__builtin_cpu_supports("x86-64-v3")) result.push_back(&splitgp_core_avx2);
#endif
  result.push_back(&splitgp_core_baseline);
  return result;
}

const CompiledCore& choose() {
  const std::vector<const CompiledCore*> choice = runnable();
#ifdef SPLITGP_VARIANTS
  const char* wanted = std::getenv("SPLITGP_INSTRUCTION_SET");
#else
  const char* wanted = nullptr;  // a build with only one compilation leaves no choice
#endif
  if (wanted == nullptr || *wanted == '\0') return *choice.front();
  std::string names;
  for (const CompiledCore* compiled : choice) {
    if (std::strcmp(wanted, compiled->instruction_set) == 0) return *compiled;
    names += names.empty() ? "" : ", ";
    names += compiled->instruction_set;
  }
  throw InvalidArgument("SPLITGP_INSTRUCTION_SET is '" + std::string(wanted) +
                        "'; here it must be one of " + names);
}

}  // namespace

const CompiledCore& core() {
  static const CompiledCore& chosen = choose();
  return chosen;
}

std::string instruction_set() { return core().instruction_set; }

std::vector<std::string> instruction_sets() {
  std::vector<std::string> result;
  for (const CompiledCore* compiled : runnable()) result.emplace_back(compiled->instruction_set);
  return result;
}

}  // namespace splitgp
