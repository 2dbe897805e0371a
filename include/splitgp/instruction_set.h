#pragma once

#include <string>
#include <vector>

namespace splitgp {

/// The instructions that models use in this process: "baseline", "avx2" (with FMA; x86-64-v3) or
/// "avx512" (x86-64-v4). The processor's best, unless the environment variable
/// SPLITGP_INSTRUCTION_SET names another; then a name that cannot run here is an InvalidArgument.
/// Results of different ones agree to rounding, not to the bit.
std::string instruction_set();

/// All that this build has and this processor can run, best first.
std::vector<std::string> instruction_sets();

}  // namespace splitgp
