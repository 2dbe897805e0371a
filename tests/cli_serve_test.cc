// The service as people start it: tables, late labels, repeated requests, and what is left after a
// kill.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "support/command.h"
#include "support/http_client.h"
#include "support/temporary_directory.h"

namespace splitgp::cli_serve_test {
namespace {

using nlohmann::json;
using testing::CommandProcess;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpClient;

class CliServe : public ::testing::Test {
 protected:
  void start(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"serve", "--model",  folder_ / "m.splitgp", "--target",
                                       "y",     "--listen", "127.0.0.1:0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::filesystem::path log = folder_ / "stderr";
    std::filesystem::remove(log);  // of the server before
    server_.emplace(folder_.path(), arguments);
    ASSERT_TRUE(testing::eventually_contains(log, "listening on")) << testing::file_text(log);
    std::smatch found;
    const std::string text = testing::file_text(log);
    ASSERT_TRUE(std::regex_search(text, found, std::regex(":([0-9]+)/ for model"))) << text;
    client_.emplace(static_cast<std::uint16_t>(std::stoi(found[1])));
  }
  void end(int signal) {
    client_.reset();
    server_->signal(signal);
    server_->wait();
    server_.reset();
  }
  HttpClient::Answer rows(const std::string& body, const std::string& query = "?id=id") {
    return client_->post("/v2/models/m/rows" + query, body);
  }
  json results(const std::string& body, const std::string& query = "?id=id") {
    const HttpClient::Answer answer = rows(body, query);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? json::parse(answer.body)["results"] : json();
  }
  json model() { return json::parse(client_->get("/v2/models/m").body); }
  std::uint64_t observations() { return model()["parameters"]["observations"]; }

  testing::TemporaryDirectory folder_;
  std::optional<CommandProcess> server_;
  std::optional<HttpClient> client_;
};

std::string daily(int day, const std::string& rest) {
  return "{\"id\":\"d" + std::to_string(day) + "\",\"when\":\"2024-01-" + (day < 10 ? "0" : "") +
         std::to_string(day) + "\",\"x\":" + std::to_string(day * day % 7) + rest + "}";
}

TEST_F(CliServe, ALabelMayComeAfterNewerRowsAlthoughRowsAge) {
  start({"--max-age", "864000"});  // ten days
  ASSERT_EQ(results("[" + daily(1, ",\"y\":1") + "," + daily(2, ",\"y\":2") + "]").size(), 2u);
  EXPECT_TRUE(results(daily(3, ",\"y\":null"))[0]["waiting"].get<bool>());
  EXPECT_TRUE(results(daily(4, ",\"y\":null"))[0]["waiting"].get<bool>());
  ASSERT_EQ(results(daily(5, ",\"y\":5"))[0]["sequence"], 2);
  // A new row and a late label in one request.
  const json both = results("[" + daily(6, ",\"y\":6") + "," + daily(3, ",\"y\":3") + "]");
  EXPECT_EQ(both[0]["sequence"], 3);
  EXPECT_EQ(both[1]["sequence"], 4);
  EXPECT_EQ(observations(), 5u);
  end(SIGTERM);
  start();  // the newest time is in the file
  // Too late: by now it would be forgotten at once.
  ASSERT_EQ(results(daily(20, ",\"y\":20"))[0]["sequence"], 5);
  const HttpClient::Answer late = rows(daily(4, ",\"y\":4"));
  EXPECT_EQ(late.status, 422) << late.body;
  EXPECT_THAT(json::parse(late.body)["results"][0]["error"], HasSubstr("older than max_age"));
  EXPECT_EQ(model()["parameters"]["next_sequence"], 6);
}

TEST_F(CliServe, ARepeatedRowMayBeWrittenInAnotherWay) {
  start();
  const std::string first =
      R"([{"id":"a","u":1,"word":"01","y":2.5},{"id":"b","u":2,"word":"02","y":1e2}])";
  const json said = results(first);
  for (
      const std::string again :
      {R"([{"y":2.50,"word":"01","id":"a","u":1.0},{"u":2e0,"id":"b","y":100,"word":"02"}])",
       R"([{"y":2.5,"word":"01","u":1,"id":"a","extra":null},{"id":"b","u":2,"y":100,"word":"02"}])"}) {
    const json answer = results(again);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(answer[i]["repeated"].get<bool>()) << again;
      EXPECT_EQ(answer[i]["sequence"], said[i]["sequence"]);
    }
  }
  const HttpClient::Answer csv = client_->post(
      "/v2/models/m/rows?id=id", "id,y,u,word\nb,1E+2,2,02\n", "Content-Type: text/csv\r\n");
  EXPECT_EQ(csv.status, 200) << csv.body;
  EXPECT_EQ(observations(), 2u);
  for (const std::string other :
       {R"({"id":"a","u":1,"word":"01","y":2.6})", R"({"id":"a","u":1,"word":"1","y":2.5})",
        R"({"id":"a","u":1,"word":"01"})", R"({"id":"a","word":"01","v":1,"y":2.5})",
        R"({"id":"a","u":1,"word":"01","y":2.5,"more":1})"}) {
    EXPECT_EQ(rows(other).status, 422) << other;
  }
}

TEST_F(CliServe, CountsSurviveAKill) {
  start();
  std::uint64_t given = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string x = std::to_string(i % 9);
    results("{\"x\":" + x + ",\"y\":" + x + "}", "");
    ++given;
  }
  results("[{\"x\":1},{\"x\":2}]", "");                                   // only predicted
  EXPECT_EQ(rows("{\"x\":\"?!\",\"y\":1}", "").status, 422);              // rejected
  EXPECT_EQ(rows("{\"x\":\"?!\",\"y\":1}", "?learn=false").status, 422);  // and not counted
  results("{\"x\":1,\"y\":1}", "");  // what came before is committed with it
  ++given;
  end(SIGKILL);
  const testing::CommandResult inspected =
      testing::run(folder_.path(), {"inspect", "--model", folder_ / "m.splitgp", "--json"});
  ASSERT_EQ(inspected.code, 0) << inspected.err;
  const json model = json::parse(inspected.out);
  EXPECT_EQ(model["observations"], given);
  EXPECT_EQ(model["stream"]["learned"], given);
  EXPECT_EQ(model["stream"]["predicted"], 2);
  EXPECT_EQ(model["stream"]["rejected"], 1);
  EXPECT_EQ(model["stream"]["rows_read"], given + 3);
  // And a server goes on from there.
  start();
  results("{\"x\":1,\"y\":1}", "");
  end(SIGTERM);
  const testing::CommandResult after =
      testing::run(folder_.path(), {"inspect", "--model", folder_ / "m.splitgp", "--json"});
  EXPECT_EQ(json::parse(after.out)["stream"]["learned"], given + 1);
}

// Rows that are too early for their lags, and those that wait for the target of a later row.
TEST_F(CliServe, CountsAreThoseOfAStream) {
  const std::vector<std::vector<std::string>> wishes = {
      {"--lag", "y:1,3", "--by", "site"},
      {"--lag", "y:0", "--horizon", "3"},
      {"--lag", "y:0,2", "--horizon", "3", "--by", "site"}};
  std::vector<std::string> objects;
  std::string table = "site,x,y\n";
  for (int i = 0; i < 60; ++i) {
    const std::string site = i % 3 == 0 ? "hall" : "yard";
    const std::string x = i == 30 ? "?!" : std::to_string(i * i % 11);
    const std::string y = i % 10 == 9 ? "" : std::to_string(i % 7);
    table += site + "," + x + "," + y + "\n";
    objects.push_back(R"({"site":")" + site + R"(","x":")" + x + R"(","y":")" + y + "\"}");
  }
  testing::write_text(folder_ / "in.csv", table);
  const auto counts = [this](const std::filesystem::path& model) {
    const testing::CommandResult inspected =
        testing::run(folder_.path(), {"inspect", "--model", model.string(), "--json"});
    const json stream = json::parse(inspected.out)["stream"];
    std::vector<std::uint64_t> found;
    for (const char* field : {"rows_read", "learned", "predicted", "early", "rejected"}) {
      found.push_back(stream[field]);
    }
    return found;
  };
  for (const std::vector<std::string>& wish : wishes) {
    std::vector<std::string> flags{"--training", "off"};
    flags.insert(flags.end(), wish.begin(), wish.end());
    std::vector<std::string> arguments{"stream", folder_ / "in.csv",        "-t", "y",
                                       "-m",     folder_ / "stream.splitgp"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    ASSERT_EQ(testing::run(folder_.path(), arguments).code, 0);
    start(flags);
    for (std::size_t first = 0; first < objects.size(); first += 20) {
      std::string body;
      for (std::size_t i = first; i < first + 20; ++i) {
        body += (body.empty() ? "[" : ",") + objects[i];
      }
      results(body + "]", "");
      end(SIGKILL);
      start();
    }
    end(SIGTERM);
    EXPECT_EQ(counts(folder_ / "m.splitgp"), counts(folder_ / "stream.splitgp")) << wish.back();
    std::filesystem::remove(folder_ / "m.splitgp");
    std::filesystem::remove(folder_ / "stream.splitgp");
  }
}

// A few empty values say nothing about what the column will hold: it stays open. Many of them would
// leave it out for good.
TEST_F(CliServe, AColumnThatIsEmptyAtFirstIsNotLost) {
  start();
  std::string many;
  for (int i = 0; i < 30; ++i) {
    many += std::string(i == 0 ? "[" : ",") + R"({"temperature":null,"fuel":")" +
            (i % 2 == 0 ? "gas" : "oil") + R"(","y":)" + std::to_string(i) + "}";
  }
  const HttpClient::Answer refused = rows(many + "]", "");
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_EQ(json::parse(refused.body)["field"], "temperature");
  EXPECT_THAT(json::parse(refused.body)["error"], HasSubstr("--as temperature=number"));
  // The first value shows what it is; from then on it may be missing.
  results(R"({"temperature":null,"fuel":"gas","y":1})", "");
  results(R"([{"temperature":20,"fuel":"oil","y":2},{"temperature":null,"fuel":"gas","y":1}])", "");
  EXPECT_THAT(model()["parameters"]["columns"], ElementsAre("temperature", "fuel"));
}

TEST_F(CliServe, AnEmptyColumnMayBeDeclaredOrIgnored) {
  start({"--as", "temperature=number", "--ignore", "note"});
  results(R"({"temperature":null,"note":null,"fuel":"gas","y":1})", "");
  results(R"({"temperature":20,"note":"warm","fuel":"gas","y":1})", "");
  EXPECT_THAT(model()["parameters"]["columns"], ElementsAre("temperature", "fuel"));
}

// A row, as a table of one or of many tells it: a load that is a number only in the first one.
std::string growing_row(int i) {
  const std::string hour = std::to_string(100 + i % 24).substr(1);
  const std::string day = std::to_string(101 + i / 24).substr(1);
  return R"({"time":"2024-01-)" + day + "T" + hour + R"(:30","load":)" +
         (i == 0       ? "3"
          : i % 2 == 0 ? R"("heavy")"
                       : R"("none")") +
         R"(,"y":)" + std::to_string(i % 7) + "}";
}

// A number and no cycle at first, because one row shows no more.
TEST_F(CliServe, ARecipeGrowsWithTheRows) {
  start({"--training", "off", "--length-scale", "1"});
  int rejected = 0;
  for (int i = 0; i < 12; ++i) {
    if (rows(growing_row(i), "").status == 422) ++rejected;
    // A process that is killed while the recipe may grow goes on with the same rows.
    if (i == 5) {
      end(SIGKILL);
      start({"--training", "off", "--length-scale", "1"});
    }
  }
  EXPECT_EQ(rejected, 3) << "until most were words";
  std::string rest = "[" + growing_row(12);
  for (int i = 13; i < 80; ++i) rest += "," + growing_row(i);
  results(rest + "]", "");
  EXPECT_EQ(observations(), 77u);
  const json names = model()["parameters"]["input_names"];
  EXPECT_THAT(names, ::testing::Contains("load code 1"));
  EXPECT_THAT(names, ::testing::Contains("time day sin"));
  // Predictions take rows as the new recipe reads them, and the file has it after a restart.
  const std::string query = R"({"time":"2024-01-04T11:30","load":"none"})";
  const json before = json::parse(rows(query, "?learn=false").body)["results"];
  EXPECT_TRUE(before[0].contains("mean")) << before;
  end(SIGTERM);
  start({"--training", "off", "--length-scale", "1"});
  // To rounding: the factors are built again.
  const json after = json::parse(rows(query, "?learn=false").body)["results"];
  EXPECT_NEAR(after[0]["mean"][0].get<double>(), before[0]["mean"][0].get<double>(), 1e-9);
  EXPECT_EQ(model()["parameters"]["input_names"], names);
}

// They have the inputs of the recipe by which they were predicted.
TEST_F(CliServe, ARecipeStaysWhileRowsWaitForLabels) {
  start({"--training", "off", "--length-scale", "1"});
  rows(R"({"id":"0","x":1,"load":3,"y":1})");
  rows(R"({"id":"1","x":2,"load":3})");  // waits
  for (int i = 2; i < 40; ++i) {
    rows(R"({"id":")" + std::to_string(i) + R"(","x":)" + std::to_string(i) +
         R"(,"load":"heavy","y":2})");
  }
  const json names = model()["parameters"]["input_names"];
  EXPECT_THAT(names, ElementsAre("x", "load"));
  EXPECT_EQ(rows(R"({"id":"1","x":2,"load":3,"y":2})").status, 200);
}

// A column that the first rows did not have cannot become an input any more, and that is said.
TEST_F(CliServe, ColumnsThatTheModelDoesNotKnowAreNamed) {
  start();
  const HttpClient::Answer first = rows(R"({"x":1,"id":"a","y":1})");
  EXPECT_FALSE(json::parse(first.body).contains("unknown_columns")) << first.body;
  EXPECT_THAT(model()["parameters"]["columns"], ElementsAre("x")) << "an id is no input";
  const json answer = json::parse(
      rows(R"([{"x":1,"id":"b","y":1,"pressure":3},{"x":1,"id":"c","y":2}])", "?id=id").body);
  EXPECT_THAT(answer["unknown_columns"], ElementsAre("pressure"));
}

TEST_F(CliServe, ChartsBeginWithWhatTheFileHolds) {
  std::string text = "x,y\n";
  for (int i = 0; i < 300; ++i) {
    text += std::to_string(i % 17) + "," + std::to_string(i % 5) + "\n";
  }
  testing::write_text(folder_ / "in.csv", text);
  ASSERT_EQ(testing::run(folder_.path(),
                         {"stream", folder_ / "in.csv", "-t", "y", "-m", folder_ / "m.splitgp"})
                .code,
            0);
  start();
  const json state = json::parse(client_->get("/live/state").body);
  EXPECT_EQ(state["history"]["rows"], 300);
  EXPECT_EQ(state["history"]["local_gps"].back(), state["model"]["local_gps"]);
  EXPECT_EQ(state["points"]["local_gps"][0], state["model"]["local_gps"]);
  EXPECT_EQ(state["history"]["outputs"][0]["rmse"].size(), state["history"]["last_row"].size());
}

}  // namespace
}  // namespace splitgp::cli_serve_test
