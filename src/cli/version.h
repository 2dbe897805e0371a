#pragma once

#include <string>

namespace splitgp {

/// Version, build type, compiler, instruction sets, and versions of the libraries used.
std::string version_text();

}  // namespace splitgp
