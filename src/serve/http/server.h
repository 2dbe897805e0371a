#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http/message.h"
#include "serve/http/parser.h"

namespace splitgp::serve::http {

struct ServerLimits {
  ParserLimits message;
  std::size_t connections = 8192;
  std::size_t viewers = 64;               ///< Of server-sent events.
  std::size_t viewer_bytes = 256 * 1024;  ///< Unsent, before a viewer is dropped.
  std::size_t small_body = 64 * 1024;     ///< Bodies up to this size need no share of …
  std::size_t bodies = std::size_t{256} * 1024 * 1024;  ///< … what all bodies may hold together.
  std::chrono::milliseconds idle{75'000};               ///< Between requests.
  std::chrono::milliseconds head{10'000};  ///< From the first byte to the end of the head.
  std::chrono::milliseconds body{30'000};
  std::chrono::milliseconds write{30'000};  ///< Without progress of the client.
};

struct ServerSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free one.
  int threads = 2;
  std::string certificate_file;  ///< PEM; both or neither.
  std::string key_file;
  ServerLimits limits;
};

/// What became of a request, for the log and the metrics.
struct Outcome {
  int status = 0;
  std::size_t bytes_in = 0;   ///< Of the body.
  std::size_t bytes_out = 0;  ///< Of the body.
  double seconds = 0.0;       ///< From the end of its head to the end of the answer.
};

/// What a server serves. All calls may come from several threads at once.
class Application {
 public:
  virtual ~Application() = default;
  /// Judges a request by its head, before its body is read: a response refuses it.
  virtual std::optional<Response> refuse(const Request& head) = 0;
  virtual void handle(std::shared_ptr<const Request> request, Reply reply) = 0;
  /// The response to a request that is not one, or that could not be read.
  virtual Response error(int status, const std::string& message) = 0;
  virtual void began() = 0;
  virtual void finished(const Request& request, const Outcome& outcome) = 0;
};

struct ServerCounts {
  std::uint64_t connections = 0;
  std::uint64_t viewers = 0;
  std::uint64_t viewers_dropped = 0;
  std::uint64_t connections_refused = 0;
  std::uint64_t timeouts = 0;
};

/// Listens, reads requests, has the application answer them, writes the answers. Knows nothing of
/// models. Each thread owns its connections, so that they need no locks.
class Server {
 public:
  /// Listens from here on. Throws Error if it cannot. `application` must outlive it.
  Server(const ServerSettings& settings, Application& application);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// Starts the threads.
  void start();
  /// Sends a piece of text to every viewer; those who are too slow are dropped.
  void publish(std::string event);
  /// No new connections; what has been received is answered, within `patience`; then the threads
  /// end.
  void stop(std::chrono::milliseconds patience);
  ServerCounts counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace splitgp::serve::http
