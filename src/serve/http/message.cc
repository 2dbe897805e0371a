#include "serve/http/message.h"

#include <unistd.h>

#include <algorithm>

namespace splitgp::serve::http {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct Parameter {
  std::string key;
  std::string_view value;  // as it was sent
};

// Takes what comes before the next "&" off the query.
Parameter next_parameter(std::string_view& query) {
  const std::size_t end = std::min(query.find('&'), query.size());
  const std::string_view pair = query.substr(0, end);
  query.remove_prefix(std::min(end + 1, query.size()));
  const std::size_t equals = std::min(pair.find('='), pair.size());
  return {unescaped(pair.substr(0, equals), true), pair.substr(std::min(equals + 1, pair.size()))};
}

}  // namespace

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](char one, char other) { return lower(one) == lower(other); });
}

std::string_view Request::header(std::string_view name) const {
  for (const Header& one : headers) {
    if (same_ignoring_case(one.name, name)) return one.value;
  }
  return {};
}

bool Request::has_header(std::string_view name) const {
  return std::any_of(headers.begin(), headers.end(),
                     [name](const Header& one) { return same_ignoring_case(one.name, name); });
}

bool Request::announces_body() const {
  if (has_header("Transfer-Encoding")) return true;
  return header("Content-Length").find_first_not_of('0') != std::string_view::npos;
}

std::optional<std::string> Request::given_parameter(std::string_view key) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const Parameter one = next_parameter(rest);
    if (one.key == key) return unescaped(one.value, true);
  }
  return std::nullopt;
}

std::string Request::parameter(std::string_view key) const {
  return given_parameter(key).value_or("");
}

std::vector<std::string> Request::parameter_keys() const {
  std::vector<std::string> keys;
  std::string_view rest = query;
  while (!rest.empty()) keys.push_back(next_parameter(rest).key);
  return keys;
}

TemporaryFile::~TemporaryFile() { ::unlink(path_.c_str()); }

const char* reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

std::string unescaped(std::string_view text, bool plus_is_space) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      result += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      result += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

}  // namespace splitgp::serve::http
