#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/stream/stream.h"

namespace splitgp {

/// `splitgp serve`: a model that learns and answers over HTTP.
struct ServeFlags {
  std::string model;
  std::string name;  ///< In the addresses; the file's, without its ending.
  std::string listen = "127.0.0.1:8080";
  std::string token_file;
  std::string tls_cert;
  std::string tls_key;
  bool insecure = false;
  std::vector<std::string> allow_host;
  std::vector<std::string> allow_origin;
  std::string log = "text";
  std::string durability = "full";
  int http_threads = 0;
  std::size_t max_body = 8;        ///< MiB
  std::size_t max_rows = 100'000;  ///< In one request.
  std::size_t max_queue = 50'000;  ///< Rows that wait to be learned.
  std::size_t max_connections = 8192;
  std::size_t max_viewers = 64;
  std::uint64_t max_waiting = 100'000;  ///< Rows that wait for their labels.
  std::uint64_t remember_ids = 1'000'000;
  StreamFlags stream;  ///< How a new model and its recipe are made: --target, --inputs, …
};

/// Runs until SIGTERM or SIGINT. Returns the exit code; throws CommandError and Error.
int run_serve(const ServeFlags& flags);

}  // namespace splitgp
