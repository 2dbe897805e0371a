#include "serve/http/parser.h"

#include <algorithm>
// The only place that knows Beast: its parser reads the message, and what is written is plain text.
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

namespace splitgp::serve::http {

namespace beast = boost::beast;
using BeastError = beast::http::error;

struct RequestParser::Impl {
  explicit Impl(const ParserLimits& given) : limits(given) {
    parser.header_limit(static_cast<std::uint32_t>(given.header_bytes));
    parser.body_limit(given.body_bytes);
  }
  ParserLimits limits;
  beast::http::request_parser<beast::http::string_body> parser;
  Request request;
  bool head_told = false;
  int status = 0;
  std::string error;

  void read_head() {
    auto& message = parser.get();
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    const std::size_t mark = std::min(request.target.find('?'), request.target.size());
    request.path = unescaped(std::string_view(request.target).substr(0, mark), false);
    request.query = mark < request.target.size() ? request.target.substr(mark + 1) : "";
    for (const auto& field : message) {
      request.headers.push_back({std::string(field.name_string()), std::string(field.value())});
    }
    request.keep_alive = message.keep_alive();
  }

  // Beast takes a coding that it does not know for the end of the request, and the body for the
  // next one. Two hosts: whoever is in between may have looked at the other.
  bool judge_head() {
    const auto times = [this](std::string_view name) {
      return std::count_if(
          request.headers.begin(), request.headers.end(),
          [name](const Header& one) { return same_ignoring_case(one.name, name); });
    };
    if (times("Host") > 1) return refuse_head("the request has two headers Host");
    const auto codings = times("Transfer-Encoding");
    if (codings == 0) return true;
    const bool known =
        codings == 1 && same_ignoring_case(request.header("Transfer-Encoding"), "chunked");
    if (!known) return refuse_head("Transfer-Encoding: only chunked is known here");
    if (parser.get().version() < 11) {
      return refuse_head("Transfer-Encoding: there is none before HTTP/1.1");
    }
    return true;
  }

  bool refuse_head(const char* why) {
    status = 400;
    error = why;
    return false;
  }

  // What is fed but not used is part of a line, which the connection has to keep. The parser bounds
  // only the lines of the head.
  State wait_for_more(std::size_t unused) {
    if (!head_told || unused < limits.header_bytes) return State::more;
    status = 400;
    error = "a line or the trailer of the chunked body is longer than " +
            std::to_string(limits.header_bytes) + " bytes";
    return State::failed;
  }

  State fail(const boost::system::error_code& code) {
    if (code == BeastError::header_limit) {
      status = 431;
      error = "the head of the request is longer than " + std::to_string(limits.header_bytes) +
              " bytes";
    } else if (code == BeastError::body_limit) {
      status = 413;
      error = "the body is longer than " + std::to_string(limits.body_bytes) + " bytes";
    } else if (code == BeastError::bad_version) {
      status = 505;
      error = "not a version of HTTP that is spoken here";
    } else {
      status = 400;
      error = "not a request: " + code.message();
    }
    return State::failed;
  }
};

RequestParser::RequestParser(const ParserLimits& limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::~RequestParser() = default;
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;

RequestParser::State RequestParser::feed(std::string_view bytes, std::size_t& used) {
  used = 0;
  Impl& impl = *impl_;
  if (impl.status != 0) return State::failed;
  while (!impl.parser.is_done()) {
    const std::string_view rest = bytes.substr(used);
    if (rest.empty()) return State::more;
    boost::system::error_code code;
    const std::size_t taken =
        impl.parser.put(boost::asio::const_buffer(rest.data(), rest.size()), code);
    used += taken;
    if (code && code != BeastError::need_more) return impl.fail(code);
    if (!impl.head_told && impl.parser.is_header_done()) {
      impl.head_told = true;
      impl.read_head();
      if (!impl.judge_head()) return State::failed;
      impl.parser.eager(true);
      return State::head;
    }
    if (code == BeastError::need_more || taken == 0) {
      return impl.wait_for_more(bytes.size() - used);
    }
  }
  return State::complete;
}

const Request& RequestParser::head() const { return impl_->request; }

bool RequestParser::expects_continue() const {
  return same_ignoring_case(impl_->request.header("Expect"), "100-continue");
}

std::size_t RequestParser::body_bytes() const {
  if (impl_->parser.chunked()) return impl_->limits.body_bytes;
  const auto length = impl_->parser.content_length();
  return length ? static_cast<std::size_t>(*length) : 0;
}

Request RequestParser::take() {
  impl_->request.body = std::move(impl_->parser.get().body());
  return std::move(impl_->request);
}

int RequestParser::error_status() const { return impl_->status; }
const std::string& RequestParser::error() const { return impl_->error; }

}  // namespace splitgp::serve::http
