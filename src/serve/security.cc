#include "serve/security.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "splitgp/error.h"

namespace splitgp::serve {
namespace {

constexpr std::size_t kShortestToken = 16;

bool is_address(std::string_view text) {
  std::string name(text);
  unsigned char bytes[16];
  if (name.starts_with('[') && name.ends_with(']')) {
    name = name.substr(1, name.size() - 2);
    return ::inet_pton(AF_INET6, name.c_str(), bytes) == 1;
  }
  return ::inet_pton(AF_INET, name.c_str(), bytes) == 1;
}

// "name:8080" → "name", "[::1]:8080" → "[::1]".
std::string_view without_port(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') : std::string_view::npos;
  const std::size_t colon = host.find(':', end == std::string_view::npos ? 0 : end);
  return host.substr(0, colon);
}

bool known_host(std::string_view host, const std::vector<std::string>& names) {
  const std::string_view name = without_port(host);
  if (name.empty()) return false;
  if (http::same_ignoring_case(name, "localhost") || is_address(name)) return true;
  return std::any_of(names.begin(), names.end(), [&](const std::string& one) {
    return http::same_ignoring_case(one, name) || http::same_ignoring_case(one, host);
  });
}

constexpr const char* kForeign = "a page of another origin may not ask; see --allow-origin";

bool is_own(std::string_view origin, const http::Request& request) {
  const std::string own =
      (request.secure ? "https://" : "http://") + std::string(request.header("Host"));
  return http::same_ignoring_case(origin, own);
}

bool is_friend(std::string_view origin, const SecuritySettings& settings) {
  return std::any_of(
      settings.origins.begin(), settings.origins.end(),
      [origin](const std::string& one) { return http::same_ignoring_case(one, origin); });
}

// "https://a.example/page" → "https://a.example"
std::string_view origin_of(std::string_view address) {
  const std::size_t host = address.find("://");
  if (host == std::string_view::npos) return address;
  return address.substr(0, address.find_first_of("/?#", host + 3));
}

}  // namespace

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

Tokens::Digest Tokens::digest_of(std::string_view text) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

Tokens Tokens::from_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw Error("--token-file: " + path + ": cannot be read");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw Error("--token-file: " + path + ": others than its owner may use it; chmod 600");
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw Error("--token-file: " + path + ": cannot be read, or is empty");
  }
  return from_text(text.str(), path);
}

Tokens Tokens::from_text(std::string_view text, const std::string& name) {
  Tokens result;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string at = "--token-file: " + name + ": line " + std::to_string(number) + ": ";
    std::istringstream words(line);
    std::string scopes, token, more;
    words >> scopes >> token >> more;
    if (scopes.empty() || scopes.starts_with('#')) continue;
    if (token.empty() || !more.empty()) {
      throw Error(at + "expected scopes and a token, such as: predict,learn TOKEN");
    }
    if (token.size() < kShortestToken) {
      throw Error(at + "the token is shorter than " + std::to_string(kShortestToken) +
                  " characters");
    }
    Token one{digest_of(token)};
    std::istringstream list(scopes);
    std::string scope;
    while (std::getline(list, scope, ',')) {
      if (scope == "predict") {
        one.predict = true;
      } else if (scope == "learn") {
        one.learn = true;
      } else if (scope == "admin") {
        one.predict = one.learn = one.admin = true;
      } else {
        throw Error(at + "the scopes are predict, learn and admin");
      }
    }
    result.tokens_.push_back(one);
  }
  if (result.tokens_.empty()) throw Error("--token-file: " + name + ": it has no token");
  return result;
}

Tokens::Verdict Tokens::check(std::string_view token, Scope scope) const {
  const Digest digest = digest_of(token);
  Verdict verdict = Verdict::unknown;
  for (const Token& one : tokens_) {
    if (CRYPTO_memcmp(digest.data(), one.digest.data(), digest.size()) != 0) continue;
    const bool allowed =
        scope == Scope::none || scope == Scope::any || (scope == Scope::predict && one.predict) ||
        (scope == Scope::learn && one.learn) || (scope == Scope::admin && one.admin);
    verdict = allowed ? Verdict::allowed : Verdict::forbidden;
  }
  return verdict;
}

std::string_view bearer_token(const http::Request& request) {
  const std::string_view value = request.header("Authorization");
  constexpr std::string_view kBearer = "Bearer ";
  if (value.size() < kBearer.size() ||
      !http::same_ignoring_case(value.substr(0, kBearer.size()), kBearer)) {
    return {};
  }
  return value.substr(kBearer.size());
}

std::optional<Refusal> refuse_stranger(const http::Request& request,
                                       const SecuritySettings& settings) {
  const std::string_view host = request.header("Host");
  if (!known_host(host, settings.hosts)) {
    return Refusal{403, "the header Host names no host that this server goes by; see --allow-host"};
  }
  if (!request.has_header("Origin")) return std::nullopt;
  const std::string_view origin = request.header("Origin");
  if (is_own(origin, request) || is_friend(origin, settings)) return std::nullopt;
  return Refusal{403, kForeign};
}

std::optional<Refusal> refuse_foreign_page(const http::Request& request,
                                           const SecuritySettings& settings) {
  // Those that refuse_stranger() has let pass.
  if (request.has_header("Origin")) return std::nullopt;
  const std::string_view site = request.header("Sec-Fetch-Site");
  const std::string_view referrer = origin_of(request.header("Referer"));
  if (is_friend(referrer, settings)) return std::nullopt;
  if (site == "same-origin" || site == "none") return std::nullopt;  // "none": typed by a person
  if (site.empty() && (referrer.empty() || is_own(referrer, request))) return std::nullopt;
  return Refusal{403, kForeign};
}

std::optional<Refusal> refuse_scope(const http::Request& request, const SecuritySettings& settings,
                                    Scope scope) {
  if (settings.tokens.empty() || scope == Scope::none) return std::nullopt;
  const std::string_view token = bearer_token(request);
  if (token.empty()) {
    return Refusal{401, "a token is needed: Authorization: Bearer TOKEN"};
  }
  switch (settings.tokens.check(token, scope)) {
    case Tokens::Verdict::allowed:
      return std::nullopt;
    case Tokens::Verdict::unknown:
      return Refusal{401, "the token is not known"};
    case Tokens::Verdict::forbidden:
      break;
  }
  const char* const needed = scope == Scope::predict ? "predict"
                             : scope == Scope::learn ? "learn"
                                                     : "admin";
  return Refusal{403, std::string("the token lacks the scope ") + needed};
}

}  // namespace splitgp::serve
