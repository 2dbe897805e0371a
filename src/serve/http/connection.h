#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "serve/http/server.h"

namespace splitgp::serve::http {

using Clock = std::chrono::steady_clock;

/// The bytes of one client: a socket, or TLS on one.
class Transport {
 public:
  using Done = std::function<void(bool ok, std::size_t bytes)>;
  virtual ~Transport() = default;
  virtual void begin(Done done) = 0;  ///< The handshake, if there is one.
  virtual void read(char* to, std::size_t most, Done done) = 0;
  virtual void write(std::string_view first, std::string_view second, Done done) = 0;
  virtual void end_writing(Done done) = 0;
  /// Pending calls end, not ok; another may follow.
  virtual void cancel() = 0;
  virtual void close() = 0;
};

/// What connections share: limits, counts and the application.
struct Shared {
  Application& application;
  ServerLimits limits;
  std::atomic<std::uint64_t> connections{0}, viewers{0}, viewers_dropped{0}, refused{0},
      timeouts{0};
  std::atomic<std::uint64_t> body_bytes{0};
  std::atomic<bool> stopping{false};
};

/// One client's connection: one request after the other. Runs on one thread, that of its context.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// The connections of one thread. The one that lets go of a connection last may be another, one
  /// that has just answered.
  struct Set {
    std::mutex mutex;
    std::unordered_set<Connection*> all;
  };

  Connection(boost::asio::io_context& context, std::unique_ptr<Transport> transport,
             std::string peer, bool secure, Shared& shared, Set& all);
  ~Connection();

  void begin();
  /// To be called now and then: ends what takes too long.
  void check_time(Clock::time_point now);
  void publish(const std::shared_ptr<const std::string>& event);
  /// Ends it if it waits for a request.
  void stop_if_idle();
  void close();
  bool is_viewer() const { return phase_ == Phase::events; }

 private:
  enum class Phase { begin, idle, head, body, handle, write, events, drain, closed };

  void set_phase(Phase phase, std::chrono::milliseconds limit);
  void next_request();
  void read_more();
  void on_read(bool ok, std::size_t bytes);
  void parse();
  bool judge();
  void answer_refusal(Response response);
  void handle();
  void respond(Response response);
  void write_file();
  void after_write(bool ok);
  void finished();
  void drain();
  void send_events();
  void watch_viewer();
  void release_body();

  boost::asio::io_context& context_;
  std::unique_ptr<Transport> transport_;
  std::string peer_;
  bool secure_;
  Shared& shared_;
  Set& all_;
  Phase phase_ = Phase::begin;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool timed_out_ = false;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of it was read and not yet parsed
  std::unique_ptr<RequestParser> parser_;
  std::shared_ptr<Request> request_;
  Clock::time_point started_;
  bool counted_ = false;  // the application knows of the request
  std::size_t reserved_ = 0;
  Response response_;
  std::string head_text_;
  std::size_t bytes_out_ = 0;
  bool ends_ = false;
  // Of a file that is sent.
  int file_ = -1;
  std::uint64_t file_left_ = 0;
  // Of a viewer.
  std::deque<std::shared_ptr<const std::string>> events_;
  std::size_t events_bytes_ = 0;
  bool writing_ = false;
};

}  // namespace splitgp::serve::http
