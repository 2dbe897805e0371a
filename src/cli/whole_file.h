#pragma once

#include <filesystem>
#include <string>

namespace splitgp {

/// Writes the file all at once: a reader sees what was there before or all of `text`, and a failure
/// leaves what was there. "-" is standard output. Throws CommandError naming the file.
void write_whole_file(const std::filesystem::path& path, const std::string& text);

}  // namespace splitgp
