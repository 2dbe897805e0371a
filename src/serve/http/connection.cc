#include "serve/http/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <ctime>
#include <thread>
#include <utility>

namespace splitgp::serve::http {
namespace {

constexpr std::size_t kFirstBuffer = 4 * 1024;
constexpr std::size_t kLargeBuffer = 64 * 1024;
constexpr std::chrono::milliseconds kDrain{2'000};
constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365);

// RFC 9110, 6.6.1, made once a second.
const std::string& date_now() {
  thread_local std::time_t last = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != last) {
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char buffer[64];
    const std::size_t size =
        std::strftime(buffer, sizeof buffer, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    text.assign(buffer, size);
    last = now;
  }
  return text;
}

// Nothing may be run, loaded or framed but what this server itself sends.
constexpr std::string_view kStrictPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
constexpr std::string_view kSafety =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Frame-Options: DENY\r\n";

}  // namespace

Connection::Connection(boost::asio::io_context& context, std::unique_ptr<Transport> transport,
                       std::string peer, bool secure, Shared& shared, Set& all)
    : context_(context),
      transport_(std::move(transport)),
      peer_(std::move(peer)),
      secure_(secure),
      shared_(shared),
      all_(all) {
  ++shared_.connections;
  const std::lock_guard<std::mutex> hold(all_.mutex);
  all_.all.insert(this);
}

Connection::~Connection() {
  try {
    close();
  } catch (const std::exception&) {
    // Out of memory, say: the socket closes without a line in the log.
  }
  {
    const std::lock_guard<std::mutex> hold(all_.mutex);
    all_.all.erase(this);
  }
  --shared_.connections;
}

void Connection::set_phase(Phase phase, std::chrono::milliseconds limit) {
  phase_ = phase;
  deadline_ = Clock::now() + limit;
}

void Connection::begin() {
  set_phase(Phase::begin, shared_.limits.head);
  transport_->begin([self = shared_from_this()](bool ok, std::size_t) {
    if (!ok || self->timed_out_) return self->close();
    self->next_request();
  });
}

void Connection::next_request() {
  if (ends_ || shared_.stopping) return close();
  parser_ = std::make_unique<RequestParser>(shared_.limits.message);
  request_.reset();
  response_ = {};
  counted_ = false;
  set_phase(Phase::idle, shared_.limits.idle);
  if (begin_ < end_) return parse();
  if (buffer_.size() > kLargeBuffer) buffer_ = {};
  read_more();
}

void Connection::read_more() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (buffer_.empty()) buffer_.resize(kFirstBuffer);
  if (phase_ == Phase::body && buffer_.size() < kLargeBuffer) buffer_.resize(kLargeBuffer);
  if (end_ == buffer_.size()) {
    // The parser wants a whole line of the head.
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.end(),
              buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  }
  transport_->read(
      buffer_.data() + end_, buffer_.size() - end_,
      [self = shared_from_this()](bool ok, std::size_t bytes) { self->on_read(ok, bytes); });
}

void Connection::on_read(bool ok, std::size_t bytes) {
  if (phase_ == Phase::closed) return;
  if (timed_out_) {
    timed_out_ = false;
    if (phase_ == Phase::idle) return close();
    ++shared_.timeouts;
    return answer_refusal(shared_.application.error(
        408, phase_ == Phase::head ? "the head of the request took too long"
                                   : "the body of the request took too long"));
  }
  if (!ok) return close();
  end_ += bytes;
  parse();
}

void Connection::parse() {
  if (phase_ == Phase::idle) set_phase(Phase::head, shared_.limits.head);
  while (true) {
    std::size_t used = 0;
    const RequestParser::State state =
        parser_->feed(std::string_view(buffer_.data() + begin_, end_ - begin_), used);
    begin_ += used;
    switch (state) {
      case RequestParser::State::more:
        return read_more();
      case RequestParser::State::failed:
        return answer_refusal(shared_.application.error(parser_->error_status(), parser_->error()));
      case RequestParser::State::complete:
        return handle();
      case RequestParser::State::head:
        if (!judge()) return;
        break;
    }
  }
}

// Returns false if the request is refused, or goes on later.
bool Connection::judge() {
  started_ = Clock::now();
  set_phase(Phase::body, shared_.limits.body);
  request_ = std::make_shared<Request>(parser_->head());
  request_->peer = peer_;
  request_->secure = secure_;
  counted_ = true;
  shared_.application.began();
  if (std::optional<Response> refusal = shared_.application.refuse(*request_)) {
    answer_refusal(std::move(*refusal));
    return false;
  }
  const std::size_t bytes = parser_->body_bytes();
  if (bytes > shared_.limits.small_body) {
    reserved_ = bytes;
    if ((shared_.body_bytes += bytes) > shared_.limits.bodies) {
      Response busy = shared_.application.error(429, "too many large requests at once");
      busy.headers.push_back({"Retry-After", "1"});
      answer_refusal(std::move(busy));
      return false;
    }
  }
  if (bytes > 0 && parser_->expects_continue()) {
    transport_->write("HTTP/1.1 100 Continue\r\n\r\n", {},
                      [self = shared_from_this()](bool ok, std::size_t) {
                        if (!ok || self->timed_out_) return self->close();
                        self->parse();
                      });
    return false;
  }
  return true;
}

void Connection::release_body() {
  shared_.body_bytes -= reserved_;
  reserved_ = 0;
}

// What is still to come of the request is not read as another one.
void Connection::answer_refusal(Response response) {
  if (!request_) {
    request_ = std::make_shared<Request>();
    request_->peer = peer_;
    request_->method = "-";
    request_->path = request_->target = "-";
    started_ = Clock::now();
  }
  if (!counted_) {
    counted_ = true;
    shared_.application.began();
  }
  response.close = true;
  respond(std::move(response));
}

void Connection::handle() {
  Request whole = parser_->take();
  whole.peer = peer_;
  whole.secure = secure_;
  *request_ = std::move(whole);
  set_phase(Phase::handle, kForever);
  if (!request_->keep_alive) ends_ = true;
  // The answer may come at once, from within the call, or later and from another thread.
  const std::thread::id here = std::this_thread::get_id();
  auto inside = std::make_shared<bool>(true);
  shared_.application.handle(
      request_, [self = shared_from_this(), here, inside](Response response) {
        if (std::this_thread::get_id() == here && *inside) {
          return self->respond(std::move(response));
        }
        auto shared = std::make_shared<Response>(std::move(response));
        boost::asio::post(self->context_, [self, shared] { self->respond(std::move(*shared)); });
      });
  if (std::this_thread::get_id() == here) *inside = false;
}

void Connection::respond(Response response) {
  if (phase_ == Phase::closed) return;
  response_ = std::move(response);
  if (response_.close || shared_.stopping) ends_ = true;
  std::string_view body =
      response_.fixed_body.empty() ? std::string_view(response_.body) : response_.fixed_body;
  std::uint64_t length = body.size();
  if (response_.file) {
    file_ = ::open(response_.file->path().c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) return close();
    length = file_left_ = static_cast<std::uint64_t>(status.st_size);
  }
  // What follows the head of events has no length, and whoever asks for the head wants no more.
  const bool events_head = response_.events && request_->method == "HEAD";
  if (events_head) response_.events = false;
  head_text_.clear();
  auto out = std::back_inserter(head_text_);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nDate: {}\r\n", response_.status,
                 reason_phrase(response_.status), date_now());
  if (response_.events) {
    const bool room = ++shared_.viewers <= shared_.limits.viewers;
    if (!room) {
      --shared_.viewers;
      Response busy = shared_.application.error(503, "too many viewers");
      busy.headers.push_back({"Retry-After", "10"});
      return respond(std::move(busy));
    }
    head_text_ += "Transfer-Encoding: chunked\r\nX-Accel-Buffering: no\r\n";
  } else if (response_.status != 204 && response_.status != 304 && !events_head) {
    fmt::format_to(out, "Content-Length: {}\r\n", length);
  }
  if (!response_.content_type.empty()) {
    fmt::format_to(out, "Content-Type: {}\r\n", response_.content_type);
  }
  for (const Header& header : response_.headers) {
    fmt::format_to(out, "{}: {}\r\n", header.name, header.value);
  }
  head_text_ += kSafety;
  fmt::format_to(out, "Content-Security-Policy: {}\r\n",
                 response_.policy.empty() ? kStrictPolicy : response_.policy);
  if (ends_) head_text_ += "Connection: close\r\n";
  head_text_ += "\r\n";
  if (request_->method == "HEAD") {
    body = {};
    file_left_ = 0;
  }
  set_phase(Phase::write, shared_.limits.write);
  bytes_out_ = response_.events || events_head ? 0 : static_cast<std::size_t>(length);
  if (response_.events) {
    phase_ = Phase::events;
    events_.push_back(std::make_shared<const std::string>(
        head_text_ + fmt::format("{:x}\r\n{}\r\n", response_.body.size(), response_.body)));
    events_bytes_ = events_.back()->size();
    watch_viewer();
    return send_events();
  }
  transport_->write(head_text_, body, [self = shared_from_this()](bool ok, std::size_t) {
    if (ok && self->response_.file && self->file_left_ > 0) return self->write_file();
    self->after_write(ok);
  });
}

void Connection::write_file() {
  set_phase(Phase::write, shared_.limits.write);
  if (buffer_.size() < kLargeBuffer) buffer_.resize(kLargeBuffer);
  response_.body.resize(std::min<std::uint64_t>(kLargeBuffer, file_left_));
  const ssize_t got = ::read(file_, response_.body.data(), response_.body.size());
  if (got <= 0) return close();
  file_left_ -= static_cast<std::uint64_t>(got);
  transport_->write(std::string_view(response_.body).substr(0, static_cast<std::size_t>(got)), {},
                    [self = shared_from_this()](bool ok, std::size_t) {
                      if (ok && self->file_left_ > 0) return self->write_file();
                      self->after_write(ok);
                    });
}

void Connection::finished() {
  release_body();
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  if (!counted_) return;
  counted_ = false;
  Outcome outcome;
  outcome.status = response_.status;
  outcome.bytes_in = request_->body.size();
  outcome.bytes_out = bytes_out_;
  outcome.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  shared_.application.finished(*request_, outcome);
}

void Connection::after_write(bool ok) {
  if (phase_ == Phase::closed) return;
  finished();
  if (!ok || timed_out_) return close();
  if (!ends_) return next_request();
  drain();
}

// Closing at once, with unread bytes, would reset the connection, and the client might never see
// the answer. So the end is told first, and for a moment what still comes is dropped.
void Connection::drain() {
  set_phase(Phase::drain, kDrain);
  transport_->end_writing([self = shared_from_this()](bool ok, std::size_t) {
    if (!ok) return self->close();
    if (self->buffer_.empty()) self->buffer_.resize(kFirstBuffer);
    struct Drop {
      static void more(const std::shared_ptr<Connection>& connection) {
        connection->transport_->read(
            connection->buffer_.data(), connection->buffer_.size(),
            [connection](bool read, std::size_t bytes) {
              if (!read || bytes == 0 || connection->phase_ != Phase::drain) {
                return connection->close();
              }
              more(connection);
            });
      }
    };
    Drop::more(self);
  });
}

// A viewer has nothing more to say, but its end is noticed. The read also keeps this object alive
// between events.
void Connection::watch_viewer() {
  if (buffer_.empty()) buffer_.resize(kFirstBuffer);
  transport_->read(buffer_.data(), buffer_.size(),
                   [self = shared_from_this()](bool ok, std::size_t bytes) {
                     if (!ok || bytes == 0 || self->phase_ != Phase::events) return self->close();
                     self->watch_viewer();
                   });
}

void Connection::publish(const std::shared_ptr<const std::string>& event) {
  if (phase_ != Phase::events) return;
  if (events_bytes_ + event->size() > shared_.limits.viewer_bytes) {
    ++shared_.viewers_dropped;
    return close();
  }
  events_.push_back(event);
  events_bytes_ += event->size();
  if (!writing_) send_events();
}

void Connection::send_events() {
  if (events_.empty()) {
    deadline_ = Clock::now() + kForever;
    return;
  }
  writing_ = true;
  deadline_ = Clock::now() + shared_.limits.write;
  transport_->write(*events_.front(), {}, [self = shared_from_this()](bool ok, std::size_t) {
    self->writing_ = false;
    if (!ok || self->phase_ != Phase::events) return self->close();
    self->events_bytes_ -= self->events_.front()->size();
    self->events_.pop_front();
    self->send_events();
  });
}

void Connection::check_time(Clock::time_point now) {
  if (now < deadline_ || phase_ == Phase::closed) return;
  deadline_ = now + kDrain;  // if even that is not enough
  if (phase_ == Phase::idle || phase_ == Phase::head || phase_ == Phase::body) {
    if (timed_out_) return close();
    timed_out_ = true;
    return transport_->cancel();
  }
  close();
}

void Connection::stop_if_idle() {
  if (phase_ == Phase::idle || phase_ == Phase::events || phase_ == Phase::begin) close();
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  if (phase_ == Phase::events) --shared_.viewers;
  phase_ = Phase::closed;
  finished();
  transport_->close();
}

}  // namespace splitgp::serve::http
