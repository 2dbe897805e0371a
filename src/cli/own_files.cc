#include "cli/own_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"

namespace splitgp {
namespace {

// The path of a file that does not exist yet, the same for every name that would create it.
std::filesystem::path place_of(std::filesystem::path path) {
  std::error_code error;
  constexpr int kMostLinks = 40;  // as the system follows
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  std::filesystem::path place =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : place;
}

// Which file it is: by device and inode, or by its place if it does not exist yet.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  std::filesystem::path place;
  bool operator==(const FileIdentity&) const = default;
};

// Empty for what is no file: a device, a pipe, nothing.
std::optional<FileIdentity> identity_of(const NamedFile& file, int standard) {
  struct stat status {};
  if (file.path.empty()) return std::nullopt;
  const bool exists =
      file.path == "-" ? ::fstat(standard, &status) == 0 : ::stat(file.path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return std::nullopt;
  if (exists) return FileIdentity{status.st_dev, status.st_ino, {}};
  if (file.path == "-") return std::nullopt;
  return FileIdentity{0, 0, place_of(file.path)};
}

std::string called(const NamedFile& file) {
  return file.path == "-" || file.what.empty() ? file.what : file.what + " " + file.path;
}

[[noreturn]] void refuse_to_share(const NamedFile& file, const NamedFile& other) {
  throw CommandError(kUsage, fmt::format("{}: this is the same file as {}; what is written needs "
                                         "a file of its own",
                                         called(file), called(other)));
}

}  // namespace

void require_own_files(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written) {
  std::vector<std::pair<NamedFile, std::optional<FileIdentity>>> taken;
  for (const NamedFile& file : read) taken.emplace_back(file, identity_of(file, STDIN_FILENO));
  std::vector<NamedFile> all = written;
  const NamedFile* on_output = nullptr;
  for (NamedFile& file : all) {
    if (file.path != "-") continue;
    file.what += " -";
    if (on_output != nullptr) refuse_to_share(file, *on_output);
    on_output = &file;
  }
  if (on_output == nullptr) all.push_back({"standard output", "-"});
  for (const NamedFile& file : all) {
    const std::optional<FileIdentity> identity = identity_of(file, STDOUT_FILENO);
    if (!identity) continue;
    for (const auto& [other, its_identity] : taken) {
      if (its_identity == identity) refuse_to_share(file, other);
    }
    taken.emplace_back(file, identity);
  }
}

std::vector<NamedFile> model_files(const std::string& path) {
  if (path.empty()) return {};
  std::vector<NamedFile> files;
  for (const char* suffix : {"", "-wal", "-shm", "-lock"})
    files.push_back({"--model", path + suffix});
  return files;
}

}  // namespace splitgp
