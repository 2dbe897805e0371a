#pragma once

#include <string>

namespace splitgp {

/// Version, build type, compiler and the vector instructions that the command was compiled for.
std::string version_text();

}  // namespace splitgp
