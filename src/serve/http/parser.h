#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "serve/http/message.h"

namespace splitgp::serve::http {

struct ParserLimits {
  std::size_t header_bytes = 16 * 1024;  ///< Of the head; of a line or the trailer of chunks.
  std::size_t body_bytes = 8 * 1024 * 1024;
};

/// Turns bytes into one request. Knows no socket, so that it can be tested and fuzzed alone.
class RequestParser {
 public:
  explicit RequestParser(const ParserLimits& limits);
  ~RequestParser();
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;

  enum class State {
    more,      ///< Needs more bytes.
    head,      ///< The head is complete, once: head() is set. Feed on for the body.
    complete,  ///< take() has the request.
    failed,    ///< error_status() and error() say why; nothing more can be read.
  };
  /// Takes bytes from the front of `bytes` and says how many. After `head`, call it again, also
  /// without new bytes. Where it needs more, it has left fewer than ParserLimits::header_bytes.
  State feed(std::string_view bytes, std::size_t& used);

  const Request& head() const;
  bool expects_continue() const;
  /// As the head says; empty bodies too. Unknown (chunked): the limit.
  std::size_t body_bytes() const;
  Request take();

  int error_status() const;
  const std::string& error() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace splitgp::serve::http
