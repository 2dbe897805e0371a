// Nothing that a client sends takes the machine: buffers, answers and waiting rows are bounded.

#include <gtest/gtest.h>

#include <chrono>
#include <new>

#include "serve/answer_room.h"
#include "serve/http/parser.h"
#include "serve/http/server.h"
#include "serve/ledger.h"
#include "serve/protocol/request_error.h"
#include "store/file_internals.h"
#include "support/serving.h"

namespace splitgp::serve_limits_test {
namespace {

using serve::http::RequestParser;
using testing::HttpClient;
using testing::Json;
using testing::kInfer;
using testing::kLearn;
using testing::Serving;

// What a connection holds of a request that is fed to it a piece at a time, until it fails.
std::size_t held_until_it_fails(RequestParser& parser, const std::string& begin,
                                const std::string& piece) {
  std::string rest = begin;
  for (int i = 0; i < 200; ++i) {
    std::size_t used = 0;
    RequestParser::State state = RequestParser::State::head;
    while (state == RequestParser::State::head) {
      state = parser.feed(rest, used);
      rest.erase(0, used);
    }
    if (state == RequestParser::State::failed) return rest.size();
    rest += piece;
  }
  return rest.size();
}

TEST(ServeLimits, LinesOfAChunkedBodyEnd) {
  const std::string head = "POST /v2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string much(1000, 'a');
  for (const std::string line : {"5;", "0\r\nTrailer: ", "3\r\nabc\r\n1;name="}) {
    RequestParser parser({});
    EXPECT_LT(held_until_it_fails(parser, head + line, much), 20'000u) << line;
    EXPECT_EQ(parser.error_status(), 400) << line;
  }
  // Many lines of a trailer, none of them long.
  RequestParser parser({});
  EXPECT_LT(held_until_it_fails(parser, head + "0\r\n",
                                "Trailer: aaaaaaaaaaaaaaaaaaaa\r\n" + much + ": a\r\n"),
            20'000u);
  EXPECT_EQ(parser.error_status(), 400);
}

TEST(ServeLimits, BodiesAreRefusedWhereNoneBelong) {
  Serving serving;
  for (const std::string method : {"GET", "HEAD", "OPTIONS"}) {
    for (const std::string body : {"Content-Length: 2\r\n\r\n{}",
                                   "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"}) {
      HttpClient client(serving.port());
      client.send(method + " /v2/health/live HTTP/1.1\r\nHost: localhost\r\n" + body);
      EXPECT_EQ(client.receive(method == "HEAD").status, 400) << method << body;
      EXPECT_TRUE(client.is_closed());
    }
  }
  HttpClient client(serving.port());
  EXPECT_EQ(client.get("/v2/health/live", "Content-Length: 0\r\n").status, 200);
}

// An application whose every second request finds no memory.
class Forgetful : public serve::http::Application {
 public:
  std::optional<serve::http::Response> refuse(const serve::http::Request& head) override {
    if (head.path == "/refuse") throw std::bad_alloc();
    return std::nullopt;
  }
  void handle(std::shared_ptr<const serve::http::Request> request,
              serve::http::Reply reply) override {
    if (request->path == "/handle") throw std::bad_alloc();
    reply({});
  }
  serve::http::Response error(int status, const std::string&) override {
    serve::http::Response response;
    response.status = status;
    return response;
  }
  void began() override {}
  void finished(const serve::http::Request& request, const serve::http::Outcome&) override {
    if (request.path == "/finished") throw std::bad_alloc();
  }
};

TEST(ServeLimits, NoExceptionEndsTheServer) {
  Forgetful application;
  serve::http::ServerSettings settings;
  settings.port = 0;
  settings.threads = 1;
  serve::http::Server server(settings, application);
  server.start();
  for (const char* const path : {"/refuse", "/handle", "/finished"}) {
    HttpClient unlucky(server.port());
    unlucky.get(path);
    EXPECT_TRUE(unlucky.is_closed()) << path;
    HttpClient other(server.port());
    EXPECT_EQ(other.get("/other").status, 200);
    other.close();
    unlucky.close();
  }
  for (int tries = 0; server.counts().connections > 0 && tries < 1000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(server.counts().connections, 0u);
  server.stop(std::chrono::milliseconds(0));
}

}  // namespace
}  // namespace splitgp::serve_limits_test
