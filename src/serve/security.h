#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/message.h"
#include "serve/route.h"

namespace splitgp::serve {

/// The tokens of a file, one a line: `predict,learn TOKEN`. Only their digests are kept.
class Tokens {
 public:
  /// Without tokens everybody may do everything.
  Tokens() = default;
  /// Throws Error naming the line, without its token; or if others than its owner may read the
  /// file.
  static Tokens from_file(const std::string& path);
  static Tokens from_text(std::string_view text, const std::string& name);

  bool empty() const { return tokens_.empty(); }
  enum class Verdict { allowed, unknown, forbidden };
  /// Whether `token` allows `scope`. Takes as long for a wrong token as for a right one.
  Verdict check(std::string_view token, Scope scope) const;

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Token {
    Digest digest;
    bool predict = false, learn = false, admin = false;
  };
  static Digest digest_of(std::string_view text);
  std::vector<Token> tokens_;
};

struct SecuritySettings {
  Tokens tokens;
  std::vector<std::string> hosts;    ///< Names by which it may be asked, beside addresses.
  std::vector<std::string> origins;  ///< Pages of other servers that may ask: "https://a.example".
};

struct Refusal {
  int status;
  std::string message;
};

/// The token of `Authorization: Bearer …`; empty without.
std::string_view bearer_token(const http::Request& request);

/// Whether a request may come in at all. Host: a page of a foreign name that was bound to our
/// address (DNS rebinding) has that name there; an address cannot be bound. Origin: a browser says
/// which page asks.
std::optional<Refusal> refuse_stranger(const http::Request& request,
                                       const SecuritySettings& settings);
/// Whether a foreign page has a browser ask. It cannot read the answer, but for a GET, of a picture
/// say, there is no Origin, and some make the server work. Sec-Fetch-Site says it, where the
/// address is this machine's or the connection is secure; elsewhere only Referer does, if the page
/// lets it.
std::optional<Refusal> refuse_foreign_page(const http::Request& request,
                                           const SecuritySettings& settings);
/// Whether it may do what it asks for.
std::optional<Refusal> refuse_scope(const http::Request& request, const SecuritySettings& settings,
                                    Scope scope);

/// Whether an address of --listen is reached from this machine alone.
bool is_loopback(std::string_view address);

}  // namespace splitgp::serve
