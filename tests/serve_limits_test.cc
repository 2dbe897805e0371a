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

TEST(ServeLimits, AnOutputIsNamedOnce) {
  Serving serving;
  HttpClient client(serving.port());
  ASSERT_EQ(client.post(kLearn, R"({"x":[[1,2]],"y":[3]})").status, 200);
  const auto answer = client.post(
      kInfer, R"({"x":[[1,2]],"outputs":[{"name":"mean"},{"name":"sd"},{"name":"mean"}]})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(Json::parse(answer.body)["field"], "outputs");
  EXPECT_EQ(Json::parse(answer.body)["value"], "mean");
}

TEST(ServeLimits, AnAnswerIsBoundedBeforeItIsComputed) {
  Serving serving([](serve::RunningSettings& settings) { settings.service.answers.one = 50'000; });
  HttpClient client(serving.port());
  const testing::Stream stream = testing::smooth_stream(2, 3, 1, 60);
  ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 0, 60)).status, 200);
  const auto ask = [&](int rows, const std::string& outputs) {
    const Json body{{"x", testing::numbers(Eigen::MatrixXd::Ones(3, rows))}};
    std::string text = body.dump();
    text.pop_back();
    return client.post(kInfer, text + ",\"outputs\":[" + outputs + "]}");
  };
  const std::string mean = R"({"name":"mean"})", gradient = R"({"name":"mean_gradient"})";
  EXPECT_EQ(ask(1000, mean).status, 200);
  EXPECT_EQ(ask(1000, gradient).status, 413);
  EXPECT_EQ(ask(300, gradient).status, 200);
  EXPECT_EQ(ask(1000, R"({"name":"mean_gradient","parameters":{"binary_data":true}})").status, 200);
  const auto large = ask(2000, mean);
  EXPECT_EQ(large.status, 413);
  EXPECT_NE(large.body.find("fewer rows"), std::string::npos) << large.body;
  // Rows are refused before they are learned.
  EXPECT_EQ(
      client.post(kLearn, testing::learn_body(testing::smooth_stream(2, 3, 1, 200), 0, 200)).status,
      413);
  EXPECT_EQ(Json::parse(client.get("/v2/models/m").body)["parameters"]["observations"], 60);
}

// The bound is one: no answer is longer than was said.
TEST(ServeLimits, AnswersAreNoLongerThanTheirSize) {
  Serving serving;
  HttpClient client(serving.port());
  const testing::Stream stream = testing::smooth_stream(2, 2, 1, 50);
  const std::string learned = client.post(kLearn, testing::learn_body(stream, 0, 50, "id")).body;
  EXPECT_LE(learned.size(), serve::results_size(50, 1).text);
  for (const std::string outputs :
       {"", R"("outputs":[{"name":"mean"},{"name":"variance_gradient"}],)",
        R"("outputs":[{"name":"mean_gradient","parameters":{"binary_data":true}}],)"}) {
    const std::string body =
        "{" + outputs + Json{{"x", testing::numbers(stream.X)}}.dump().substr(1);
    const auto answer = client.post(kInfer, body);
    ASSERT_EQ(answer.status, 200) << answer.body;
    const serve::TensorRequest request = serve::parse_tensors(body, {}, {});
    EXPECT_LE(answer.body.size(), serve::infer_size(request, 50, 2, 1).text) << outputs;
  }
}

TEST(ServeLimits, AnswersShareTheirRoomUntilTheyAreSent) {
  serve::AnswerRoom room({1000, 2000});
  std::shared_ptr<const void> first = room.take({1000, 100});
  EXPECT_THROW(room.take({1000, 0}), serve::RequestError);
  std::shared_ptr<const void> second = room.take({200, 0});
  first.reset();
  EXPECT_NO_THROW(room.take({1000, 0}));
  second.reset();
  // Alone, it is let in whatever it computes with.
  EXPECT_NO_THROW(room.take({1000, 10'000}));
}

// When all rows come in one transaction and most of them are dropped again.
TEST(ServeLimits, DroppingWaitingRowsTakesNoLongerThanKeepingThem) {
  testing::TemporaryDirectory directory;
  ModelFile file = ModelFile::create(directory.path() / "m.splitgp",
                                     SplittingGp(1, 1, testing::PlainMaker::options(1)), {});
  const auto seconds = [&](std::uint64_t most) {
    serve::Ledger ledger(*FileInternals::database(file), {100, most});
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 30'000; ++i) ledger.wait("row-" + std::to_string(i), {});
    EXPECT_EQ(ledger.n_waiting(), std::min<std::uint64_t>(most, 30'000));
    EXPECT_TRUE(ledger.waiting("row-29999"));
    EXPECT_EQ(ledger.waiting("row-0").has_value(), most > 30'000);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  // Looking for the oldest among all took 60 times as long; a query of the table takes some of it.
  EXPECT_LT(seconds(5'000), 15.0 * seconds(100'000));
}

}  // namespace
}  // namespace splitgp::serve_limits_test
