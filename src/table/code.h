#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace splitgp::table {

/// The code of a category's level, `width` numbers. The first `width` of the known levels lie on
/// the axes, all at distance 1 of each other. Any other level gets a pseudo-random direction by the
/// hash of its text: at a distance of about 1 from all others, whenever it first appears, on any
/// machine.
void set_code(std::string_view level, const std::vector<std::string>& known, int width, double* to);

/// How wide the code of a column is in which `levels` different texts were seen.
int code_width(std::size_t levels);

}  // namespace splitgp::table
