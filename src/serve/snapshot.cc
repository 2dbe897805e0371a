#include "serve/snapshot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <random>
#include <string_view>
#include <system_error>

#include "store/database.h"

namespace splitgp::serve {
namespace {

// m.splitgp.snapshot-0123456789abcdef.partial: a name that nobody gives to a file of their own, as
// copies that were left behind are removed by their names.
constexpr std::string_view kMiddle = ".snapshot-";
constexpr std::string_view kEnd = ".partial";
constexpr std::size_t kDigits = 16;

bool is_copy_of(const std::string& model, std::string_view name) {
  if (name.size() != model.size() + kMiddle.size() + kDigits + kEnd.size()) return false;
  if (!name.starts_with(model + std::string(kMiddle)) || !name.ends_with(kEnd)) return false;
  const std::string_view digits = name.substr(model.size() + kMiddle.size(), kDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Makes an empty file for its owner alone.
std::string new_file_beside(const std::filesystem::path& model) {
  std::random_device random;
  const std::string name =
      fmt::format("{}{}{:08x}{:08x}{}", std::filesystem::absolute(model).string(), kMiddle,
                  random(), random(), kEnd);
  const int descriptor = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) throw store::cannot("copy", model, "no file can be made beside it");
  ::close(descriptor);
  return name;
}

std::string sql_text(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

}  // namespace

std::shared_ptr<http::TemporaryFile> make_snapshot(const std::filesystem::path& model) {
  const std::string name = new_file_beside(model);
  auto copy = std::make_shared<http::TemporaryFile>(name);
  store::Database database(model, store::Database::Mode::read_only);
  database.execute("VACUUM INTO " + sql_text(name));
  return copy;
}

void remove_old_snapshots(const std::filesystem::path& model) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(model, error);
  const std::string name = whole.filename().string();
  for (const auto& entry : std::filesystem::directory_iterator(whole.parent_path(), error)) {
    if (is_copy_of(name, entry.path().filename().string())) {
      std::filesystem::remove(entry.path(), error);
    }
  }
}

}  // namespace splitgp::serve
