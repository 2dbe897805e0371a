// The live page of the service in a real browser, Chromium, against the real command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <optional>
#include <regex>
#include <set>

#include "splitgp/model_file.h"
#include "support/browser.h"
#include "support/command.h"
#include "support/http_client.h"
#include "support/random_matrix.h"
#include "support/shown_page.h"

namespace splitgp {
namespace {

using nlohmann::json;
using testing::Browser;
using testing::CommandProcess;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::HttpClient;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

class ServePageBrowser : public ::testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }

  // On the port it had before, if it was started before.
  void start_server(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{
        "serve",    "--model",  folder_ / "m.splitgp",
        "--target", "y",        "--split-limit",
        "40",       "--listen", "127.0.0.1:" + std::to_string(port_)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server_.emplace(folder_.path(), arguments);
    const std::filesystem::path log = folder_ / "stderr";
    ASSERT_TRUE(testing::eventually_contains(log, "listening on")) << testing::file_text(log);
    std::smatch found;
    const std::string text = testing::file_text(log);
    ASSERT_TRUE(std::regex_search(text, found, std::regex(":([0-9]+)/ for model"))) << text;
    port_ = static_cast<std::uint16_t>(std::stoi(found[1]));
    origin_ = "http://127.0.0.1:" + std::to_string(port_) + "/";
  }

  void stop_server() {
    server_->signal(SIGTERM);
    EXPECT_EQ(server_->wait(), 0) << testing::file_text(folder_ / "stderr");
    server_.reset();
  }

  // Rows of numbers a, b, c with an output that depends on a most.
  void learn_numbers(int count) {
    std::string text = "a,b,c,y\n";
    for (int i = 0; i < count; ++i) {
      const double a = random_.uniform(-1.0, 1.0), b = random_.uniform(-1.0, 1.0),
                   c = random_.uniform(-1.0, 1.0);
      const double y = std::sin(4.0 * a) + b * b + 0.1 * random_.normal();
      for (const double value : {a, b, c}) text += std::to_string(value) + ',';
      text += std::to_string(y) + '\n';
    }
    post_table(text);
  }

  void post_table(const std::string& csv) {
    HttpClient client(port_);
    const HttpClient::Answer answer =
        client.post("/v2/models/m/rows", csv, "Content-Type: text/csv\r\n");
    ASSERT_EQ(answer.status, 200) << answer.body;
  }

  void open() {
    browser_.open_url(origin_);
    // At first there may be no element at all.
    browser_.wait_for("document.documentElement?.dataset.drawn !== undefined");
    browser_.wait_for("document.getElementById('answer').dataset.mean !== undefined");
  }

  std::string text_of(const std::string& element) {
    return browser_.evaluate("document.getElementById('" + element + "').textContent");
  }
  void wait_for_rows(int learned) {
    browser_.wait_for("live.rows.length > 0 && live.rows[live.rows.length - 1].sequence === " +
                      std::to_string(learned - 1));
  }

  // Types a value into an input of the form, and waits for the answer to exactly that.
  void type(int column, const std::string& value) {
    browser_.evaluate("{ const input = document.getElementById('exact-" + std::to_string(column) +
                      "'); input.value = '" + value +
                      "'; input.dispatchEvent(new Event('input')); }");
  }
  void choose(const std::string& select, int value) { testing::choose(browser_, select, value); }
  json answer() {
    browser_.wait_for("!what_if.waiting");
    const json texts = browser_.evaluate("({ ...document.getElementById('answer').dataset })");
    json numbers;
    for (const auto& [name, text] : texts.items()) {
      numbers[name] = std::stod(text.get<std::string>());
    }
    return numbers;
  }

  // Charts that are on the screen with something in them.
  std::set<std::string> charts() {
    const json all = browser_.evaluate(R"(
      [...document.querySelectorAll('.chart')].filter((chart) => chart.offsetParent !== null &&
        chart.querySelectorAll('.scatterlayer .trace path, .barlayer .point path, .heatmaplayer image').length > 0)
      .map((chart) => chart.id))");
    return all.get<std::set<std::string>>();
  }

  void expect_no_trouble() {
    EXPECT_THAT(browser_.errors(), IsEmpty());
    expect_no_stranger();
  }
  void expect_no_stranger() {
    for (const std::string& request : browser_.requests()) {
      EXPECT_TRUE(request.starts_with(origin_)) << request;
    }
  }

  testing::Random random_{11};
  TemporaryDirectory folder_;
  Browser browser_;
  std::optional<CommandProcess> server_;
  std::uint16_t port_ = 0;
  std::string origin_;
};

TEST_F(ServePageBrowser, FollowsALiveStreamAndAsksNobodyElse) {
  start_server();
  // A page that is opened before there is a model begins with the first rows.
  browser_.open_url(origin_);
  browser_.wait_for("document.getElementById('summary').textContent.includes('No row')");
  learn_numbers(200);
  browser_.wait_for("document.documentElement.dataset.drawn !== undefined");
  wait_for_rows(200);
  EXPECT_EQ(text_of("name"), "m");
  for (int rows = 260; rows <= 380; rows += 60) {
    learn_numbers(60);
    wait_for_rows(rows);
  }
  browser_.wait_for("document.getElementById('figures').textContent.includes('380')");
  EXPECT_EQ(text_of("status"), "live");
  EXPECT_EQ(browser_.evaluate("live.rows.length"), 160);
  EXPECT_GT(browser_.evaluate("live.points.length"), 0);
  // The map grows with the model.
  browser_.evaluate("document.getElementById('partition').scrollIntoView()");
  browser_.wait_for("live.map && live.map.seen === 380");
  EXPECT_EQ(browser_.evaluate("live.map.owned.length"),
            browser_.evaluate("live.state.model.local_gps"));
  EXPECT_EQ(charts(), (std::set<std::string>{"coverage", "error", "growth", "latest", "profile",
                                             "relevance", "speed", "surface", "uncertainty"}));
  // The most relevant input is the first bar from the top.
  EXPECT_EQ(browser_.evaluate("by_relevance(live.state)[0]"), 0);
  expect_no_trouble();
}

TEST_F(ServePageBrowser, WhatIfAnswersAsPredict) {
  start_server({"--training", "inline"});
  learn_numbers(300);
  open();
  type(0, "0.25");
  type(1, "-0.5");
  type(2, "0.125");
  browser_.wait_for("live.answer.at === 0.125 && !what_if.waiting");
  const json shown = answer();

  // The same bits as the protocol's own answer, …
  HttpClient client(port_);
  const json said = json::parse(
      client
          .post(
              "/v2/models/m/infer",
              R"({"inputs":[{"name":"x","datatype":"FP64","shape":[1,3],"data":[0.25,-0.5,0.125]}]})")
          .body);
  for (const json& output : said["outputs"]) {
    const std::string name = output["name"];
    if (name != "sd") {
      EXPECT_EQ(output["data"][0].get<double>(), shown[name].get<double>()) << name;
    }
  }
  // … and what the command says of the file.
  stop_server();
  testing::write_text(folder_ / "new.csv", "a,b,c\n0.25,-0.5,0.125\n");
  const testing::CommandResult predicted = testing::run(
      folder_.path(),
      {"predict", "--model", folder_ / "m.splitgp", "--to", "ndjson", folder_ / "new.csv"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  const json row = json::parse(predicted.out);
  for (const char* name : {"mean", "lower", "upper"}) {
    const std::string key = row.contains(name) ? name : std::string("y_") + name;
    // A file's factors are built afresh: rounding.
    EXPECT_NEAR(row.at(key).get<double>(), shown.at(name).get<double>(), 1e-9) << name;
  }
}

TEST_F(ServePageBrowser, TablesAreAskedInTheirOwnWords) {
  std::string text = "when,site,x,y\n";
  for (int i = 0; i < 300; ++i) {
    text += "2024-03-" + std::to_string(10 + i / 24) + " " + std::to_string(i % 24) + ":00," +
            (i % 3 == 0 ? "north" : "south") + "," + std::to_string(i % 7) + "," +
            std::to_string(i % 24 + 5 * (i % 3 == 0)) + "\n";
  }
  start_server({"--training", "inline"});
  post_table(text);
  open();
  const json fields =
      browser_.evaluate("Object.fromEntries(what_if.fields.map((f) => [f.name, f.column]))");
  const json levels = browser_.evaluate(
      "what_if.fields.find((field) => field.name === 'site').levels.indexOf('north')");
  type(fields["when"], "2024-03-15T06:00:00");
  type(fields["x"], "2.5");
  choose("slider-" + fields["site"].dump(), levels);
  browser_.wait_for("live.answer.field.name === 'site' && live.answer.at === " + levels.dump() +
                    " && !what_if.waiting");
  const json shown = answer();
  EXPECT_EQ(browser_.evaluate("document.getElementById('profile')._fullLayout.xaxis.type"),
            "category");
  // All rows of a question may be rejected, which is a status of its own.
  browser_.evaluate("{ what_if.values.set(" + fields["x"].dump() + ", 1e200); }");
  choose("slider-" + fields["site"].dump(), 1 - levels.get<int>());
  browser_.wait_for("document.getElementById('answer-error').textContent.includes('1e150')");
  stop_server();
  testing::write_text(folder_ / "new.csv", "when,site,x\n2024-03-15 06:00,north,2.5\n");
  const testing::CommandResult predicted = testing::run(
      folder_.path(),
      {"predict", "--model", folder_ / "m.splitgp", "--to", "ndjson", folder_ / "new.csv"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  const json row = json::parse(predicted.out);
  const std::string key = row.contains("mean") ? "mean" : "y_mean";
  EXPECT_NEAR(row.at(key).get<double>(), shown.at("mean").get<double>(), 1e-9);
  expect_no_stranger();
}

TEST_F(ServePageBrowser, GoesOnWhenTheServerRestarts) {
  start_server();
  learn_numbers(120);
  open();
  wait_for_rows(120);
  expect_no_trouble();
  const json first_point = browser_.evaluate("live.points[0].time");
  stop_server();
  browser_.wait_for("document.getElementById('status').dataset.state === 'lost'");
  start_server();
  browser_.wait_for("live.following && document.getElementById('status').dataset.state === 'live'");
  learn_numbers(60);
  wait_for_rows(180);
  // What it had seen before is still there.
  EXPECT_EQ(browser_.evaluate("live.points[0].time"), first_point);
  EXPECT_EQ(browser_.evaluate("live.rows.some((row) => row.sequence === 100)"), true);
  // The browser itself notes that nobody answered for a while; there is nothing else.
  for (const std::string& error : browser_.errors()) {
    EXPECT_THAT(error, HasSubstr("Failed to load resource: net::ERR_"));
    EXPECT_THAT(error, HasSubstr(origin_));
  }
  expect_no_stranger();
}

TEST_F(ServePageBrowser, ShowsWhatTheFileHoldsAfterARestart) {
  start_server({"--training", "inline"});  // so that intervals are known
  learn_numbers(150);
  stop_server();
  start_server();
  open();
  browser_.wait_for("document.documentElement.dataset.mapped !== undefined");
  EXPECT_THAT(text_of("past-note"), HasSubstr("150 rows"));
  EXPECT_EQ(charts(), (std::set<std::string>{"growth", "past-coverage", "past-error", "past-growth",
                                             "profile", "relevance", "surface", "uncertainty"}));
  EXPECT_THAT(text_of("figures"), HasSubstr("no change was noticed"));
  // What happens from here on is beside it.
  learn_numbers(20);
  wait_for_rows(170);
  browser_.wait_for("!document.getElementById('stream-charts').hidden");
  EXPECT_THAT(charts(), ::testing::IsSupersetOf({"error", "latest", "past-error"}));
  expect_no_trouble();
}

TEST_F(ServePageBrowser, FollowsLightDarkAndTheWidthOfTheWindow) {
  start_server({"--training", "inline"});  // errors are shown from the first training on
  learn_numbers(150);
  open();
  testing::expect_follows_light_dark_and_width(browser_, "#error .ytitle", folder_.path());
  expect_no_trouble();
}

TEST_F(ServePageBrowser, WorksByKeyboardAndTellsScreenReaders) {
  start_server();
  learn_numbers(150);
  open();
  browser_.wait_for("document.documentElement.dataset.mapped !== undefined");
  // Everything that can be changed has a name, every chart a text.
  EXPECT_THAT(browser_.evaluate(R"(
      [...document.querySelectorAll('main input, main select, main button, header select')]
        .filter((element) => element.offsetParent !== null && !element.getAttribute('aria-label') &&
                             element.labels?.length === 0 && !element.textContent)
        .map((element) => element.outerHTML))"),
              IsEmpty());
  EXPECT_THAT(browser_.evaluate(R"(
      [...document.querySelectorAll('.chart')].filter((chart) => chart.offsetParent !== null &&
        !chart.getAttribute('aria-label')).map((chart) => chart.id))"),
              IsEmpty());
  // A slider moves by its arrow keys, and the answer follows.
  const json before = answer();
  const json value = browser_.evaluate("what_if.values.get(0)");
  browser_.evaluate("document.getElementById('slider-0').focus()");
  for (int i = 0; i < 3; ++i) browser_.press("ArrowLeft", 37);
  browser_.wait_for("what_if.values.get(0) < " + value.dump());
  browser_.wait_for("live.answer.at === what_if.values.get(0) && !what_if.waiting");
  EXPECT_NE(answer(), before);
  // The table behind a chart opens and follows the stream.
  browser_.evaluate("document.querySelector('details[data-table=\"latest\"]').open = true");
  browser_.wait_for("document.querySelectorAll('[data-table=\"latest\"] tbody tr').length === 150");
  learn_numbers(5);
  browser_.wait_for(
      "document.querySelector('[data-table=\"latest\"] tbody tr td').textContent === '155'");
  expect_no_trouble();
}

TEST_F(ServePageBrowser, AsksForATokenWhereOneIsNeeded) {
  const std::string token = "0123456789abcdef0123";
  testing::write_text(folder_ / "tokens", "admin " + token + "\n");
  ::chmod((folder_ / "tokens").c_str(), 0600);
  start_server({"--token-file", folder_ / "tokens"});
  HttpClient client(port_);
  const HttpClient::Answer learned =
      client.post("/v2/models/m/learn", R"({"x":[[0,1],[1,0],[1,1]],"y":[1,2,3]})",
                  "Content-Type: application/json\r\nAuthorization: Bearer " + token + "\r\n");
  ASSERT_EQ(learned.status, 200) << learned.body;
  browser_.open_url(origin_);
  browser_.wait_for("!document.getElementById('token-section').hidden");
  EXPECT_THAT(text_of("status"), HasSubstr("a token is needed"));
  browser_.evaluate("document.getElementById('token').value = '" + token +
                    "'; document.querySelector('#token-form button').click()");
  browser_.wait_for("document.documentElement.dataset.drawn !== undefined");
  browser_.wait_for("live.following");
  EXPECT_EQ(browser_.evaluate("document.getElementById('token-section').hidden"), true);
  // Only what was refused before the token was there.
  for (const std::string& error : browser_.errors()) {
    EXPECT_THAT(error, HasSubstr("the server responded with a status of 401"));
  }
  expect_no_stranger();
}

}  // namespace
}  // namespace splitgp
