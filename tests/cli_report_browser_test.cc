// The page of the report command in a real browser: Chromium, which scripts/setup.sh installs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "splitgp/model_file.h"
#include "support/browser.h"
#include "support/report.h"
#include "support/shown_page.h"
#include "support/streams.h"

namespace splitgp {
namespace {

using nlohmann::json;
using testing::Browser;
using ::testing::IsEmpty;
using testing::report_of;
using testing::streamed_model;
using testing::TemporaryDirectory;

// For every visible chart: its traces, and whether each has left marks on the screen. A heatmap is
// an image, bars are paths, lines and points are paths.
constexpr const char* kCharts = R"(
  Object.fromEntries([...document.querySelectorAll('.chart')]
    .filter((chart) => chart.offsetParent !== null)
    .map((chart) => [chart.id, {
      traces: chart.data ? chart.data.length : 0,
      drawn: chart.querySelectorAll('.scatterlayer .trace path, .barlayer .point path, .heatmaplayer image').length,
      width: chart.querySelector('.main-svg')?.getBoundingClientRect().width ?? 0,
    }])))";

class CliReportBrowser : public ::testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }

  void open(const std::filesystem::path& page) {
    browser_.open(page);
    browser_.wait_for("document.documentElement.dataset.drawn !== undefined");
    page_ = "file://" + page.string();
  }

  void choose(const std::string& select, int value) {
    testing::choose(browser_, select, value);
    browser_.wait_for("document.documentElement.dataset.drawn !== undefined");
  }

  // Names of the charts, each of which has something in it.
  std::set<std::string> charts() {
    std::set<std::string> names;
    const json all = browser_.evaluate(kCharts);
    for (const auto& [name, chart] : all.items()) {
      EXPECT_GT(chart["traces"], 0) << name;
      EXPECT_GT(chart["drawn"], 0) << name;
      EXPECT_GT(chart["width"], 200) << name;
      names.insert(name);
    }
    return names;
  }

  std::string text_of(const std::string& element) {
    return browser_.evaluate("document.getElementById('" + element + "').textContent");
  }

  void expect_no_trouble() {
    EXPECT_THAT(browser_.errors(), IsEmpty());
    for (const std::string& request : browser_.requests()) EXPECT_EQ(request, page_);
  }

  TemporaryDirectory folder_;
  Browser browser_;
  std::string page_;
};

const std::set<std::string> kStreamCharts{"error", "coverage",  "nlpd",
                                          "truth", "residuals", "calibration"};
const std::set<std::string> kModelCharts{"relevance", "length_scales", "sizes", "growth", "depth"};

std::set<std::string> together(std::set<std::string> a, const std::set<std::string>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

TEST_F(CliReportBrowser, DrawsEveryChartAndAsksForNothing) {
  const auto model =
      streamed_model(folder_, 600, {"a</script><b>", "b", "c", "d", "e"}, {"y", "<z>&"});
  open(report_of(folder_, model));
  EXPECT_EQ(charts(), together(together(kStreamCharts, kModelCharts), {"surface", "uncertainty"}));
  EXPECT_EQ(text_of("name"), "model.splitgp");
  EXPECT_EQ(browser_.evaluate("document.getElementById('pair').options.length"), 6);
  EXPECT_EQ(browser_.evaluate("document.getElementById('relevance').querySelectorAll("
                              "'.barlayer .point').length"),
            5);
  // Names are shown as they are.
  EXPECT_EQ(browser_.evaluate("[...document.querySelectorAll('#relevance .ytick text')]"
                              ".map((text) => text.textContent).includes('a</script><b>')"),
            true);

  // Another pair of inputs, another output.
  const std::string axis = "document.querySelector('#surface .xtitle').textContent";
  const json before = browser_.evaluate(axis);
  choose("pair", 5);
  EXPECT_NE(browser_.evaluate(axis), before);
  choose("output", 1);
  EXPECT_EQ(browser_.evaluate("document.querySelector('#truth .xtitle').textContent"),
            "observed <z>&");
  EXPECT_GT(browser_.evaluate("document.getElementById('truth').data[0].x[0]"), 50.0);
  expect_no_trouble();
}

TEST_F(CliReportBrowser, TitlesOfAxesFitTheirCharts) {
  open(report_of(folder_, streamed_model(folder_, 300, {"a", "b"}, {"y"})));
  for (const int width : {1300, 1000, 390}) {
    testing::Window window;
    window.width = width;
    browser_.show(window);
    browser_.wait_for(
        "document.querySelector('#error .main-svg').getBoundingClientRect().width < " +
        std::to_string(width));
    EXPECT_THAT(browser_.evaluate(R"(
        [...document.querySelectorAll('.chart .xtitle, .chart .ytitle')].filter((title) => {
          const inner = title.getBoundingClientRect(), outer = title.closest('.chart').getBoundingClientRect();
          return inner.left < outer.left - 1 || inner.right > outer.right + 1;
        }).map((title) => title.textContent))"),
                IsEmpty())
        << width;
  }
}

TEST_F(CliReportBrowser, FollowsLightDarkAndTheWidthOfTheWindow) {
  open(report_of(folder_, streamed_model(folder_, 300, {"a", "b"}, {"y"})));
  testing::expect_follows_light_dark_and_width(browser_, "#error .xtitle", folder_.path());
  EXPECT_EQ(charts().size(), 13u);
  expect_no_trouble();
}

TEST_F(CliReportBrowser, OneInput) {
  open(report_of(folder_, streamed_model(folder_, 200, {"a"}, {"y"})));
  EXPECT_EQ(charts(), together(together(kStreamCharts, kModelCharts), {"line"}));
  // A page that showed no alarm said that the stream had changed.
  EXPECT_THAT(text_of("figures"), ::testing::HasSubstr("Alarms0no change was noticed"));
  expect_no_trouble();
}

TEST_F(CliReportBrowser, TimesAndCategoriesHaveTheirOwnAxes) {
  std::string text = "when,site,x,y\n";
  for (int i = 0; i < 300; ++i) {
    text += "2024-03-" + std::to_string(10 + i / 24) + " " + std::to_string(i % 24) + ":00," +
            (i % 3 == 0 ? "north" : "south") + "," + std::to_string(i % 7) + "," +
            std::to_string(i % 24 + 5 * (i % 3 == 0)) + "\n";
  }
  testing::write_text(folder_ / "in.csv", text);
  const std::string model = folder_ / "model.splitgp";
  ASSERT_EQ(
      testing::run(folder_.path(), {"stream", folder_ / "in.csv", "-t", "y", "-m", model}).code, 0);
  open(report_of(folder_, model, {"--inputs", "when,site"}));
  EXPECT_EQ(charts(), together(together(kStreamCharts, kModelCharts), {"surface", "uncertainty"}));
  EXPECT_EQ(browser_.evaluate("document.getElementById('surface')._fullLayout.xaxis.type"), "date");
  EXPECT_EQ(browser_.evaluate("document.getElementById('surface')._fullLayout.yaxis.type"),
            "category");
  EXPECT_EQ(browser_.evaluate("document.getElementById('pair').options.length"), 3);
  for (int pair = 0; pair < 3; ++pair) {
    choose("pair", pair);
    EXPECT_EQ(charts().size(), 13u);
  }
  expect_no_trouble();
}

TEST_F(CliReportBrowser, SaysWhatIsMissing) {
  ModelFile::create(folder_ / "empty", SplittingGp(2, 1));
  open(report_of(folder_, folder_ / "empty"));
  EXPECT_THAT(charts(), IsEmpty());
  EXPECT_THAT(text_of("stream"), ::testing::HasSubstr("was not taught by"));
  EXPECT_THAT(text_of("partition"), ::testing::HasSubstr("learned nothing yet"));
  expect_no_trouble();
}

TEST_F(CliReportBrowser, AHundredThousandObservationsThatWereNotStreamed) {
  Options options;
  options.split_limit = options.capacity = 50;
  options.training = Training::off;
  options.hyperparameters.emplace().length_scale = Eigen::Vector3d(0.3, 0.5, 2.0);
  const testing::Stream stream = testing::smooth_stream(8, 3, 1, 100'000);
  SplittingGp model(3, 1, options);
  model.update_batch(stream.X, stream.Y);
  ModelFile::create(folder_ / "large", std::move(model));
  const std::filesystem::path page = report_of(folder_, folder_ / "large");
  EXPECT_LT(std::filesystem::file_size(page), 4u << 20);
  open(page);
  std::set<std::string> expected = together(kModelCharts, {"surface", "uncertainty"});
  // There was no training, and the chart says so.
  expected.erase("length_scales");
  std::set<std::string> found;
  const json all = browser_.evaluate(kCharts);
  for (const auto& [name, chart] : all.items()) {
    if (chart["drawn"] > 0) found.insert(name);
  }
  EXPECT_EQ(found, expected);
  EXPECT_THAT(text_of("length_scales"), ::testing::HasSubstr("There was no training"));
  expect_no_trouble();
}

}  // namespace
}  // namespace splitgp
