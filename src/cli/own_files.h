#pragma once

#include <string>
#include <vector>

namespace splitgp {

/// A file that a command line names.
struct NamedFile {
  std::string what;  ///< What errors call it: the flag, or "the input".
  std::string path;  ///< Empty: none was given. "-": standard input or output.
};

/// Throws CommandError unless every file in `written` is a file of its own: none of `read`, and
/// none of the others, whatever names and links lead to it. Standard output counts as written.
/// Devices such as /dev/null may be shared.
void require_own_files(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written);

/// A model file and the files that SQLite and the lock keep beside it.
std::vector<NamedFile> model_files(const std::string& path);

}  // namespace splitgp
