// Connections: what is kept alive, what is too much, too slow or not allowed.

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "serve/http/parser.h"
#include "serve/notify.h"
#include "serve/security.h"
#include "support/serving.h"

namespace splitgp::serve_http_test {
namespace {

using serve::Scope;
using serve::Tokens;
using testing::HttpClient;
using testing::kInfer;
using testing::kLearn;
using testing::Serving;

constexpr const char* kLive = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST(ServeHttp, KeepsConnectionsAliveAndAnswersInOrder) {
  Serving serving;
  HttpClient client(serving.port());
  // Three requests at once.
  client.send(std::string(kLive) + "GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n" + kLive);
  EXPECT_EQ(client.receive().body, "{\"live\":true}");
  EXPECT_NE(client.receive().body.find("splitgp"), std::string::npos);
  EXPECT_EQ(client.receive().body, "{\"live\":true}");
  client.send("GET /v2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.receive().headers.at("connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

// A timer looks at the connections every 250 ms. What is due at the moment of stopping must not go
// on.
TEST(ServeHttp, StopsWhileItsTimerIsDue) {
  for (int i = 0; i < 8; ++i) {
    Serving serving;
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    serving.stop();
  }
}

TEST(ServeHttp, TakesBodiesInPieces) {
  Serving serving;
  HttpClient client(serving.port());
  client.send(
      "POST /v2/models/m/learn HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const std::string piece : {"{\"x\":", "[[1,2]],\"y\"", ":[3]}"}) {
    client.send("0" + std::string(1, "0123456789abcdef"[piece.size()]) + "\r\n" + piece + "\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  client.send("0\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  client.send(
      "POST /v2/models/m/learn HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Type: application/json\r\nContent-Length: 21\r\n\r\n");
  EXPECT_EQ(client.read_past("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("{\"x\":[[1,2]],\"y\":[3]}");
  EXPECT_EQ(client.receive().status, 200);
}

TEST(ServeHttp, RefusesWhatIsTooLarge) {
  Serving serving([](serve::RunningSettings& settings) {
    settings.server.limits.message.body_bytes = 1000;
    settings.service.rows_a_request = 10;
  });
  {
    HttpClient client(serving.port());
    EXPECT_EQ(client.post(kInfer, std::string(1001, ' ')).status, 413);
    EXPECT_TRUE(client.is_closed());
  }
  {
    // The length is enough: the body itself is not waited for.
    HttpClient client(serving.port());
    client.send(
        "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n");
    EXPECT_EQ(client.receive().status, 413);
  }
  {
    HttpClient client(serving.port());
    client.send("GET /v2 HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'a') +
                "\r\n\r\n");
    EXPECT_EQ(client.receive().status, 431);
  }
  HttpClient client(serving.port());
  const testing::Stream stream = testing::smooth_stream(1, 1, 1, 11);
  EXPECT_EQ(client
                .post("/v2/models/m/rows", "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n",
                      "Content-Type: text/csv\r\n")
                .status,
            413);
}

TEST(ServeHttp, RefusesWhatIsNotARequest) {
  Serving serving;
  for (const std::string text :
       {"\r\n\r\n\r\n", "HELLO\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
        "GET /v2 HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "POST /v2 HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nbad header\r\n\r\n"}) {
    HttpClient client(serving.port());
    client.send(text);
    const int status = client.receive().status;
    EXPECT_TRUE(status >= 400 && status < 506 && status != 500) << text << status;
    EXPECT_TRUE(client.is_closed());
  }
  HttpClient client(serving.port());
  EXPECT_EQ(client.get("/v2/health/live").status, 200);
}

// Read as "no body", the body would be the next request, one that nobody in between has seen.
TEST(ServeHttp, RefusesCodingsItDoesNotKnow) {
  Serving serving;
  for (const std::string coding :
       {"Transfer-Encoding: gzip\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: \r\n"}) {
    HttpClient client(serving.port());
    client.send(
        "POST /v2/models/m/learn HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: application/json\r\n" +
        coding + "\r\n" + kLive);
    EXPECT_EQ(client.receive().status, 400) << coding;
    EXPECT_EQ(client.receive().status, 0) << coding;
    EXPECT_TRUE(client.is_closed());
  }
}

TEST(ServeHttp, SlowRequestsEnd) {
  Serving serving([](serve::RunningSettings& settings) {
    settings.server.limits.head = std::chrono::milliseconds(300);
    settings.server.limits.body = std::chrono::milliseconds(300);
    settings.server.limits.idle = std::chrono::milliseconds(600);
  });
  HttpClient head(serving.port()), body(serving.port()), idle(serving.port());
  head.send("GET /v2 HT");
  body.send(
      "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{");
  EXPECT_EQ(head.receive().status, 408);
  EXPECT_EQ(body.receive().status, 408);
  EXPECT_TRUE(head.is_closed());
  EXPECT_EQ(idle.receive().status, 0);  // without a word
  EXPECT_TRUE(idle.is_closed());
}

TEST(ServeHttp, ConnectionsAreCounted) {
  Serving serving([](serve::RunningSettings& settings) { settings.server.limits.connections = 3; });
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<HttpClient>(serving.port()));
    EXPECT_EQ(clients.back()->get("/v2/health/live").status, 200);
  }
  HttpClient more(serving.port());
  EXPECT_EQ(more.receive().status, 503);
  clients.pop_back();
  int status = 503;
  for (int tries = 0; status != 200 && tries < 200; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    HttpClient again(serving.port());
    status = again.get("/v2/health/live").status;
  }
  EXPECT_EQ(status, 200);
}

TEST(ServeHttp, ForeignNamesAndPagesAreRefused) {
  Serving serving([](serve::RunningSettings& settings) {
    settings.service.security.hosts = {"gp.example"};
    settings.service.security.origins = {"https://panel.example"};
  });
  const auto status = [&](const std::string& host, const std::string& origin) {
    HttpClient client(serving.port());
    client.send("GET /v2/health/live HTTP/1.1\r\nHost: " + host + "\r\n" +
                (origin.empty() ? "" : "Origin: " + origin + "\r\n") + "\r\n");
    return client.receive().status;
  };
  EXPECT_EQ(status("localhost:1234", ""), 200);
  EXPECT_EQ(status("127.0.0.1", ""), 200);
  EXPECT_EQ(status("[::1]:80", ""), 200);
  EXPECT_EQ(status("gp.example:80", ""), 200);
  EXPECT_EQ(status("evil.example", ""), 403);
  EXPECT_EQ(status("127.0.0.1.evil.example", ""), 403);
  EXPECT_EQ(status("", ""), 403);
  EXPECT_EQ(status("localhost:80", "http://localhost:80"), 200);
  EXPECT_EQ(status("localhost:80", "http://localhost:81"), 403);
  EXPECT_EQ(status("localhost:80", "https://evil.example"), 403);
  EXPECT_EQ(status("localhost:80", "null"), 403);
  EXPECT_EQ(status("localhost:80", "https://panel.example"), 200);
  HttpClient client(serving.port());
  const auto allowed = client.ask("OPTIONS", kInfer, "", "Origin: https://panel.example\r\n");
  EXPECT_EQ(allowed.status, 204);
  EXPECT_EQ(allowed.headers.at("access-control-allow-origin"), "https://panel.example");
  const auto plain = client.get("/v2");
  EXPECT_EQ(plain.headers.count("access-control-allow-origin"), 0u);
  EXPECT_NE(plain.headers.at("content-security-policy").find("default-src 'none'"),
            std::string::npos);
}

TEST(ServeHttp, TokensAllowWhatTheirScopesSay) {
  Serving serving([](serve::RunningSettings& settings) {
    settings.service.security.tokens = Tokens::from_text(
        "# comment\npredict aaaaaaaaaaaaaaaaaaaa\npredict,learn bbbbbbbbbbbbbbbbbbbb\n"
        "admin cccccccccccccccccccc\n",
        "tokens");
  });
  const auto status = [&](const std::string& method, const std::string& path,
                          const std::string& token) {
    HttpClient client(serving.port());
    return client
        .ask(method, path, method == "POST" ? R"({"x":[[1,2]],"y":[3]})" : "",
             "Content-Type: application/json\r\n" +
                 (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n"))
        .status;
  };
  const std::string predict(20, 'a'), learn(20, 'b'), admin(20, 'c'), wrong(20, 'd');
  EXPECT_EQ(status("GET", "/v2/health/live", ""), 200);
  EXPECT_EQ(status("GET", "/v2", ""), 401);
  EXPECT_EQ(status("GET", "/v2", wrong), 401);
  EXPECT_EQ(status("GET", "/metrics", predict), 200);
  EXPECT_EQ(status("POST", kLearn, ""), 401);
  EXPECT_EQ(status("POST", kLearn, predict), 403);
  EXPECT_EQ(status("POST", kLearn, learn), 200);
  EXPECT_EQ(status("POST", kInfer, predict), 200);
  EXPECT_EQ(status("GET", "/v2/models/m/snapshot", learn), 403);
  EXPECT_EQ(status("GET", "/v2/models/m/snapshot", admin), 200);
  EXPECT_EQ(status("POST", "/v2/models/m/rows", predict), 403);
  // What waits for a label is written to the file, so it needs the scope learn.
  HttpClient client(serving.port());
  EXPECT_EQ(client
                .post(kInfer, R"({"x":[[1,2]],"ids":["a"]})",
                      "Content-Type: application/json\r\nAuthorization: Bearer " + predict + "\r\n")
                .status,
            403);
}

TEST(ServeHttp, TokenFilesMustBeTheOwnersAlone) {
  testing::TemporaryDirectory directory;
  const std::string path = (directory.path() / "tokens").string();
  std::ofstream(path) << "predict aaaaaaaaaaaaaaaaaaaa\n";
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  EXPECT_THROW(Tokens::from_file(path), Error);
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  EXPECT_EQ(Tokens::from_file(path).check("aaaaaaaaaaaaaaaaaaaa", Scope::predict),
            Tokens::Verdict::allowed);
  EXPECT_THROW(Tokens::from_file(path + "x"), Error);
  for (const char* const text : {"predict short\n", "predict\n", "paint aaaaaaaaaaaaaaaaaaaa\n", "",
                                 "predict aaaaaaaaaaaaaaaaaaaa bbb\n"}) {
    EXPECT_THROW(Tokens::from_text(text, "tokens"), Error) << text;
  }
  try {
    Tokens::from_text("paint secretsecretsecret\n", "tokens");
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos);
  }
}

// A page that follows: events come in chunks, and who does not read them is dropped.
class OneNumberPage : public serve::PageSource {
 public:
  std::string state_json() override { return "{\"state\":1}"; }
  std::string tick_json() override { return "{\"tick\":" + std::string(padding, ' ') + "1}"; }
  std::vector<std::string> take_alarms() override { return {"{\"alarm\":1}"}; }
  std::string map_json(Eigen::Index first, Eigen::Index second) override {
    if (first > 1 || second > 1) throw InvalidArgument("inputs: there are two");
    return "{\"map\":1}";
  }
  std::optional<serve::Asset> asset(std::string_view name) override {
    if (name.empty()) return serve::Asset{"<html>", "text/html; charset=utf-8", "\"1\"", false};
    return std::nullopt;
  }
  std::size_t padding = 0;
};

TEST(ServeHttp, ViewersGetEventsAndSlowOnesAreDropped) {
  testing::TemporaryDirectory directory;
  const auto path = directory.path() / "m.splitgp";
  testing::PlainMaker maker(path);
  serve::RunningSettings settings = testing::serving_settings(path);
  settings.server.limits.viewers = 2;
  OneNumberPage* page = nullptr;
  serve::Running running(settings, nullptr, maker, {}, [&page](const serve::ReadModel&) {
    auto made = std::make_unique<OneNumberPage>();
    page = made.get();
    return made;
  });
  running.start();
  HttpClient viewer(running.port());
  viewer.send("GET /live/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string head = viewer.read_past("\r\n\r\n");
  EXPECT_NE(head.find("text/event-stream"), std::string::npos);
  EXPECT_NE(viewer.read_past("event: tick\ndata: {\"tick\":1}\n\n").find("retry: "),
            std::string::npos);
  running.tick();
  const std::string alarm = viewer.read_past("\n\n");
  EXPECT_NE(alarm.find("event: alarm"), std::string::npos) << alarm;
  EXPECT_NE(viewer.read_past("\n\n").find("event: tick"), std::string::npos);

  HttpClient client(running.port());
  EXPECT_EQ(client.get("/").body, "<html>");
  EXPECT_EQ(client.get("/", "If-None-Match: \"1\"\r\n").status, 304);
  EXPECT_EQ(client.get("/live/map?inputs=0,1").body, "{\"map\":1}");
  EXPECT_EQ(client.get("/live/map?inputs=0,7").status, 422);
  EXPECT_EQ(client.get("/live/map?inputs=a").status, 422);
  EXPECT_EQ(client.get("/assets/none").status, 404);

  // This one reads nothing; its socket's buffers hold a few MB.
  HttpClient slow(running.port());
  slow.send("GET /live/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (client.get("/metrics").body.find("\nsplitgp_viewers 2\n") == std::string::npos) {
  }
  HttpClient third(running.port());
  third.send("GET /live/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(third.receive().status, 503);
  page->padding = 100'000;
  bool dropped = false;
  for (int i = 0; i < 2000 && !dropped; ++i) {
    running.tick();
    viewer.read_past("1}\n\n");
    viewer.read_past("1}\n\n");
    dropped = client.get("/metrics").body.find("\nsplitgp_viewers_dropped_total 1\n") !=
              std::string::npos;
  }
  EXPECT_TRUE(dropped);
}

TEST(ServeHttp, AHeadRequestGetsNoEvents) {
  testing::TemporaryDirectory directory;
  testing::PlainMaker maker(directory.path() / "m.splitgp");
  serve::Running running(testing::serving_settings(directory.path() / "m.splitgp"), nullptr, maker,
                         {},
                         [](const serve::ReadModel&) { return std::make_unique<OneNumberPage>(); });
  running.start();
  HttpClient client(running.port());
  client.set_timeout(5.0);
  const auto head = client.ask("HEAD", "/live/events", "", "");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(client.get("/v2/health/live").body, "{\"live\":true}");
  EXPECT_NE(client.get("/metrics").body.find("\nsplitgp_viewers 0\n"), std::string::npos);
}

// A picture whose address is the snapshot's costs nobody's consent: browsers send no Origin for it.
TEST(ServeHttp, ForeignPagesStartNothing) {
  Serving serving([](serve::RunningSettings& settings) {
    settings.service.security.origins = {"https://friend.example"};
  });
  HttpClient client(serving.port());
  ASSERT_EQ(client.post(kLearn, R"({"x":[[1,2]],"y":[3]})").status, 200);
  const auto status = [&](const std::string& headers, const std::string& path) {
    return HttpClient(serving.port()).get(path, headers).status;
  };
  const std::string snapshot = "/v2/models/m/snapshot";
  const std::string own = "http://localhost/";
  for (const std::string foreign :
       {"Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n",
        "Referer: https://evil.example/page\r\n", "Referer: http://localhost.evil.example/\r\n",
        "Sec-Fetch-Site: cross-site\r\nReferer: http://localhost/\r\n",
        "Referer: http://localhost:81/\r\n"}) {
    EXPECT_EQ(status(foreign, snapshot), 403) << foreign;
    EXPECT_EQ(status(foreign, "/metrics"), 403) << foreign;
    EXPECT_EQ(status(foreign, "/v2/health/live"), 200) << foreign;
  }
  for (const std::string known :
       {"", "Sec-Fetch-Site: same-origin\r\n", "Sec-Fetch-Site: none\r\n",
        "Referer: http://localhost/\r\n", "Referer: http://localhost\r\n",
        "Sec-Fetch-Site: cross-site\r\nOrigin: https://friend.example\r\n",
        "Sec-Fetch-Site: cross-site\r\nReferer: https://friend.example/a\r\n"}) {
    EXPECT_EQ(status(known, snapshot), 200) << known;
  }
}

TEST(ServeHttp, UnknownParametersAreRefused) {
  Serving serving;
  HttpClient client(serving.port());
  ASSERT_EQ(client.post(kLearn, R"({"x":[[1,2]],"y":[3]})").status, 200);
  const auto answer = [&](const std::string& query) {
    return HttpClient(serving.port())
        .post("/v2/models/m/rows" + query, "x1,x2,y1\n1,2,3\n", "Content-Type: text/csv\r\n");
  };
  EXPECT_EQ(answer("?learn=false&level=0.5").status, 200);
  const auto wrong = answer("?learn=false&lvel=0.5");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(testing::Json::parse(wrong.body)["field"], "lvel");
  EXPECT_EQ(answer("?learn=false&level=0.5&level=0.6").status, 400);
  EXPECT_EQ(answer("?learn=flase").status, 400);
  EXPECT_EQ(answer("?learn=false&level=0.5x").status, 422);
  EXPECT_EQ(answer("?learn=false&level=").status, 422);
  EXPECT_EQ(HttpClient(serving.port()).get("/v2/models/m?level=0.5").status, 400);
  EXPECT_EQ(HttpClient(serving.port()).get("/v2/health/live?probe=1").status, 200);
}

TEST(ServeHttp, ACertificateThatCannotBeReadIsNamed) {
  const auto message_of = [](const std::string& certificate, const std::string& key) {
    serve::RunningSettings settings = testing::serving_settings("m.splitgp");
    settings.server.certificate_file = certificate;
    settings.server.key_file = key;
    testing::PlainMaker maker("m.splitgp");
    try {
      serve::Running running(settings, nullptr, maker, {});
      return std::string("no error");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(message_of("none.pem", "none.key"), "--tls-cert: none.pem: No such file or directory");
  testing::TemporaryDirectory directory;
  const std::string text = (directory.path() / "text.pem").string();
  std::ofstream(text) << "no certificate\n";
  EXPECT_EQ(message_of(text, "none.key"), "--tls-cert: " + text + ": it has no certificate in PEM");
}

TEST(ServeHttp, StoppingAnswersWhatWasReceived) {
  Serving serving;
  HttpClient client(serving.port());
  const testing::Stream stream = testing::smooth_stream(5, 2, 1, 400);
  ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 0, 10)).status, 200);
  const std::string body = testing::learn_body(stream, 10, 390);
  client.send(
      "POST /v2/models/m/learn HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/json\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  while (serving.running().learner().counts().learned < 20) std::this_thread::yield();
  std::thread stopping([&] { serving.stop(); });
  EXPECT_EQ(client.receive().status, 200);
  stopping.join();
  EXPECT_EQ(load(serving.path()).model.n_observations(), 400u);
}

}  // namespace
}  // namespace splitgp::serve_http_test
