#include "serve/snapshot.h"

#include <stdlib.h>
#include <unistd.h>

#include <system_error>

#include "store/database.h"

namespace splitgp::serve {
namespace {

constexpr const char* kMiddle = ".snapshot-";

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
  std::string name = std::filesystem::absolute(model).string() + kMiddle + "XXXXXX";
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) throw store::cannot("copy", model, "no file can be made beside it");
  ::close(descriptor);
  auto copy = std::make_shared<http::TemporaryFile>(name);
  store::Database database(model, store::Database::Mode::read_only);
  database.execute("VACUUM INTO " + sql_text(name));
  return copy;
}

void remove_old_snapshots(const std::filesystem::path& model) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(model, error);
  const std::string prefix = whole.filename().string() + kMiddle;
  for (const auto& entry : std::filesystem::directory_iterator(whole.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(prefix)) {
      std::filesystem::remove(entry.path(), error);
    }
  }
}

}  // namespace splitgp::serve
