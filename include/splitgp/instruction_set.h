#pragma once

#include <string>
#include <vector>

namespace splitgp {

/// The instruction set that models use in this process: "baseline", "avx2" (with FMA; x86-64-v3) or
/// "avx512" (x86-64-v4). It is the best the processor has, unless the environment variable
/// SPLITGP_INSTRUCTION_SET names another; a name that cannot run here is an InvalidArgument.
/// Results from different instruction sets agree up to rounding, not bit for bit.
std::string instruction_set();

/// All instruction sets that this build has and this processor can run, best first.
std::vector<std::string> instruction_sets();

}  // namespace splitgp
