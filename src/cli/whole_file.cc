#include "cli/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "cli/exit_code.h"

namespace splitgp {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
  throw CommandError(kFailure, fmt::format("{}: cannot be written: {}", path.string(), why));
}

std::string last_error() { return std::generic_category().message(errno); }

// Returns the reason if it cannot, else an empty string.
std::string write_to(std::FILE* file, const std::string& text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return whole && std::fflush(file) == 0 ? std::string() : last_error();
}

std::string write_and_close(const std::filesystem::path& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return last_error();
  std::string why = write_to(file, text);
  if (std::fclose(file) != 0 && why.empty()) why = last_error();
  return why;
}

}  // namespace

void write_whole_file(const std::filesystem::path& path, const std::string& text) {
  if (path == "-") {
    if (const std::string why = write_to(stdout, text); !why.empty()) fail("standard output", why);
    return;
  }
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) fail(path, "it is a directory");
  // A pipe or a device cannot be replaced. A link is followed, so that it stays a link.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    if (const std::string why = write_and_close(path, text); !why.empty()) fail(path, why);
    return;
  }
  std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) target = path;
  const std::filesystem::path part = fmt::format("{}.writing-{}", target.string(), ::getpid());
  const std::string why = write_and_close(part, text);
  if (why.empty()) {
    std::filesystem::rename(part, target, error);
    if (!error) return;
  }
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  fail(path, why.empty() ? error.message() : why);
}

}  // namespace splitgp
