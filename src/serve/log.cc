#include "serve/log.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "io/printable.h"
#include "serve/protocol/json_writer.h"

namespace splitgp::serve {
namespace {

constexpr std::size_t kEnough = 16 * 1024;

// ISO 8601 with milliseconds, UTC.
std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     milliseconds);
}

// A client chooses it, so it is cut and made printable. Queries are left out: they may hold data.
std::string shown_path(const http::Request& request) {
  constexpr std::size_t kLongest = 200;
  return printable(request.path.substr(0, kLongest));
}

}  // namespace

void Log::request(const http::Request& request, const http::Outcome& outcome) {
  if (format_ == Format::none) return;
  const std::string method = printable(request.method.substr(0, 16));
  const double milliseconds = outcome.seconds * 1e3;
  if (format_ == Format::text) {
    return add(fmt::format("{} {} {} {} {} {:.3f} ms {} B in {} B out\n", now_text(), request.peer,
                           method, shown_path(request), outcome.status, milliseconds,
                           outcome.bytes_in, outcome.bytes_out));
  }
  std::string line;
  JsonWriter json(line);
  json.begin_object().key("time").text(now_text()).key("peer").text(request.peer);
  json.key("method").text(method).key("path").text(shown_path(request));
  json.key("status").integer(outcome.status).key("milliseconds").number(milliseconds);
  json.key("bytes_in").count(outcome.bytes_in).key("bytes_out").count(outcome.bytes_out);
  json.end_object();
  add(line + "\n");
}

void Log::message(const std::string& text) {
  if (format_ == Format::json) {
    std::string line;
    JsonWriter json(line);
    json.begin_object().key("time").text(now_text()).key("message").text(text).end_object();
    add(line + "\n");
  } else {
    add(fmt::format("splitgp: {}\n", printable(text)));
  }
  flush();
}

void Log::add(std::string line) {
  const std::lock_guard<std::mutex> hold(mutex_);
  lines_ += line;
  if (lines_.size() < kEnough) return;
  std::fwrite(lines_.data(), 1, lines_.size(), to_);
  lines_.clear();
}

void Log::flush() {
  const std::lock_guard<std::mutex> hold(mutex_);
  if (!lines_.empty()) std::fwrite(lines_.data(), 1, lines_.size(), to_);
  lines_.clear();
  std::fflush(to_);
}

}  // namespace splitgp::serve
