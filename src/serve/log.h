#pragma once

#include <cstdio>
#include <mutex>
#include <string>

#include "serve/http/server.h"

namespace splitgp::serve {

/// One line for each request, as text or JSON. Lines are written together, when there are many or
/// flush() is called.
class Log {
 public:
  enum class Format { none, text, json };
  Log(Format format, std::FILE* to) : format_(format), to_(to) {}
  ~Log() { flush(); }

  void request(const http::Request& request, const http::Outcome& outcome);
  /// Something about the server itself.
  void message(const std::string& text);
  void flush();

 private:
  void add(std::string line);

  Format format_;
  std::FILE* to_;
  std::mutex mutex_;
  std::string lines_;
};

}  // namespace splitgp::serve
