#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace splitgp::serve::http {

struct Header {
  std::string name;
  std::string value;
};

/// A request as the rest of the service sees it: no socket, no library's type.
struct Request {
  std::string method;  ///< "GET", as it was sent.
  std::string target;  ///< As it was sent, with its query.
  std::string path;    ///< Without the query, %-escapes resolved.
  std::string query;   ///< After the question mark, as it was sent.
  std::vector<Header> headers;
  std::string body;
  std::string peer;  ///< The client's address, for the log.
  bool keep_alive = true;
  bool secure = false;  ///< It came through TLS.

  /// The value of a header, whatever the case of its name; empty if there is none.
  std::string_view header(std::string_view name) const;
  bool has_header(std::string_view name) const;
  /// Whether its head announces a body that is not empty.
  bool announces_body() const;
  /// The value of a query's key, %-escapes resolved; empty if there is none.
  std::string parameter(std::string_view key) const;
  std::optional<std::string> given_parameter(std::string_view key) const;
  /// The keys of the query in their order, %-escapes resolved.
  std::vector<std::string> parameter_keys() const;
};

/// A file that is sent as it is, and removed when this object goes.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<Header> headers = {};
  std::string body = {};
  std::string_view fixed_body = {};               ///< Instead of `body`: bytes that never go away.
  std::shared_ptr<TemporaryFile> file = nullptr;  ///< Instead of `body`.
  bool events = false;           ///< Server-sent events: `body` first, then what is published.
  bool close = false;            ///< The connection ends after it.
  std::string_view policy = {};  ///< Content-Security-Policy, if not the strict one.
  /// Held until it has been sent: its maker's account of what answers take.
  std::shared_ptr<const void> share = nullptr;
};

/// To be called once, from any thread.
using Reply = std::function<void(Response)>;

const char* reason_phrase(int status);
/// Resolves %-escapes (and + in a query); text that is not properly escaped stays as it is.
std::string unescaped(std::string_view text, bool plus_is_space);
bool same_ignoring_case(std::string_view a, std::string_view b);

}  // namespace splitgp::serve::http
