#pragma once

#include <filesystem>
#include <string>

namespace splitgp {

/// Replaces the file atomically: a reader sees either the old contents or all of `text`, and a
/// failure leaves the old contents. "-" is standard output. Throws CommandError naming the file.
void write_whole_file(const std::filesystem::path& path, const std::string& text);

}  // namespace splitgp
