// The report command: the data in its page, and what it refuses. How the page looks is for
// cli_report_browser_test.cc.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "splitgp/model_file.h"
#include "support/report.h"
#include "support/streams.h"

namespace splitgp::cli_report_test {
namespace {

using Eigen::Index;
using nlohmann::json;
using testing::CommandResult;
using testing::data_of_page;
using testing::file_text;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::report_of;
using testing::run;
using testing::streamed_model;
using testing::TemporaryDirectory;
using testing::write_text;

TEST(CliReport, MapsHoldWhatTheModelPredicts) {
  const TemporaryDirectory folder;
  const auto path = streamed_model(folder, 200, {"a", "b", "c"}, {"y", "z"});
  const json data = data_of_page(file_text(report_of(folder, path)));
  const LoadedModel loaded = load(path);
  const json& maps = data["partition"]["maps"];
  ASSERT_EQ(maps.size(), 3u);
  for (const json& map : maps) {
    const std::size_t width = map["x"].size();
    ASSERT_EQ(map["local_gp"].size(), width * map["y"].size());
    for (const std::size_t i : {std::size_t{0}, width - 1, 13 * width + 7, width * width - 1}) {
      const std::vector<double> median = data["partition"]["median"];
      Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(median.data(), 3);
      x(map["inputs"][0].get<Index>()) = map["x"][i % width];
      x(map["inputs"][1].get<Index>()) = map["y"][i / width];
      const Prediction expected = loaded.model.predict(x);
      EXPECT_EQ(map["local_gp"][i], loaded.model.explain(x).local.front().local_gp);
      for (Index o = 0; o < 2; ++o) {
        const json& output = map["outputs"][static_cast<std::size_t>(o)];
        // Numbers are rounded to 1e-5 of their range, x and y too; the function is about as steep
        // as its range is high.
        EXPECT_NEAR(output["mean"][i].get<double>(), expected.mean(o, 0), 1e-3);
        EXPECT_NEAR(output["sd"][i].get<double>(), std::sqrt(expected.variance(o, 0)), 1e-3);
      }
    }
  }
}

TEST(CliReport, AgreesWithInspect) {
  const TemporaryDirectory folder;
  const auto path = streamed_model(folder, 256, {"a", "b"}, {"y"});
  const json data = data_of_page(file_text(report_of(folder, path)));
  const json model =
      json::parse(run(folder.path(), {"inspect", "-m", path.string(), "--json"}).out);
  EXPECT_EQ(data["observations"], 256);
  EXPECT_EQ(data["name"], "model.splitgp");
  EXPECT_EQ(data["kernel"], model["theta"]["kernel"]);
  for (std::size_t k = 0; k < 2; ++k) {
    for (const char* field : {"name", "relevance", "length_scale", "spread"}) {
      EXPECT_EQ(data["inputs"][k][field], model["inputs"][k][field]);
    }
  }
  ASSERT_EQ(data["local_gps"]["owned"].size(), model["local_gps"].size());
  EXPECT_EQ(data["local_gps"]["owned"][1], model["local_gps"][1]["owned"]);
  ASSERT_EQ(data["splits"]["observation"].size(), model["splits"].size());
  EXPECT_EQ(data["splits"]["depth"][0], 0);
  EXPECT_EQ(data["splits"]["depth"][1], 1) << "the second split is one of the first two children's";
  EXPECT_EQ(data["trainings"].size(), model["trainings"].size());
  EXPECT_EQ(data["alarms"].size(), model["alarms"].size());
  EXPECT_EQ(data["n_alarms"], model["n_alarms"]);
  ASSERT_EQ(data["innovation"].size(), 1u);
  EXPECT_EQ(data["innovation"][0]["mean_square"], model["innovation"][0]["mean_square"]);

  const json& last = model["stream"]["table"].back();
  const json& score = data["stream"]["outputs"][0];
  EXPECT_NEAR(score["rmse"], last["rmse"], 1e-12);
  EXPECT_NEAR(score["coverage"], last["coverage"], 1e-12);
  EXPECT_NEAR(score["nlpd"], last["nlpd"], 1e-12);
  const json& windows = data["stream"]["windows"];
  EXPECT_LE(windows["last_row"].size(), 80u);
  EXPECT_LE(windows["last_row"].back(), 256);
  // The curve of all rows so far ends at the total, but for the rows of the unfinished window.
  EXPECT_NEAR(windows["outputs"][0]["rmse_so_far"].back(), last["rmse"], 0.01);
}

TEST(CliReport, RowsBeforeTheFirstTrainingAreNotJudged) {
  const TemporaryDirectory folder;
  const auto path = streamed_model(folder, 256, {"a", "b"}, {"y"});
  const json data = data_of_page(file_text(report_of(folder, path)));
  const json& sample = data["stream"]["sample"];
  const std::uint64_t first = data["trainings"][0]["observation"];
  ASSERT_EQ(sample["row"].size(), 256 - first);
  EXPECT_EQ(sample["row"].front(), first + 1);
}

TEST(CliReport, ChosenInputsComeFirst) {
  const TemporaryDirectory folder;
  const auto path = streamed_model(folder, 60, {"a", "b", "c", "d", "e", "f"}, {"y"});
  const auto first = [](const json& data) {
    EXPECT_EQ(data["partition"]["maps"].size(), 6u);
    return data["partition"]["maps"][0]["inputs"].get<std::vector<int>>();
  };
  const auto chosen = [&](const std::string& inputs) {
    return first(data_of_page(file_text(report_of(folder, path, {"--inputs", inputs}))));
  };
  EXPECT_EQ(chosen("f,b"), (std::vector<int>{5, 1}));
  EXPECT_EQ(chosen("3,1"), (std::vector<int>{2, 0}));
  const json data = data_of_page(file_text(report_of(folder, path)));
  const std::vector<int> most_relevant = first(data);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_LE(data["inputs"][k]["relevance"],
              data["inputs"][static_cast<std::size_t>(most_relevant[0])]["relevance"]);
  }
}

TEST(CliReport, NamesCannotBreakOutOfThePage) {
  const TemporaryDirectory folder;
  const std::string name = "</script><b>{{style}}";
  const auto path = streamed_model(folder, 60, {name, "b"}, {"<!--"});
  const std::string page = file_text(report_of(folder, path));
  EXPECT_EQ(data_of_page(page)["inputs"][0]["name"], name);
  EXPECT_THAT(page, Not(HasSubstr(name)));
}

TEST(CliReport, PageAsksForNothing) {
  const TemporaryDirectory folder;
  const std::string page = file_text(report_of(folder, streamed_model(folder, 60, {"a"}, {"y"})));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy\" content=\"default-src 'none';"));
  EXPECT_THAT(page, HasSubstr("Permission is hereby granted")) << "the charting library's licence";
  // Its own parts; the library contains addresses, but the policy keeps them from being used.
  std::string own = page.substr(0, page.find("plotly.js (cartesian"));
  own += page.substr(page.rfind("<script>"));
  for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url("}) {
    EXPECT_THAT(own, Not(HasSubstr(outside)));
  }
}

TEST(CliReport, SameModelSamePage) {
  const TemporaryDirectory folder;
  const auto path = streamed_model(folder, 60, {"a", "b"}, {"y"});
  const std::string page = file_text(report_of(folder, path));
  EXPECT_TRUE(page == file_text(report_of(folder, path))) << "replaces the first";
  EXPECT_TRUE(page == run(folder.path(), {"report", "-m", path, "-o", "-"}).out);
}

TEST(CliReport, OneInputIsALine) {
  const TemporaryDirectory folder;
  const json data =
      data_of_page(file_text(report_of(folder, streamed_model(folder, 200, {"a"}, {"y"}))));
  const json& line = data["partition"]["line"];
  EXPECT_FALSE(data["partition"].contains("maps"));
  EXPECT_EQ(line["x"].size(), line["outputs"][0]["mean"].size());
  EXPECT_EQ(line["edges"].size() + 1, data["local_gps"]["owned"].size());
  EXPECT_EQ(data["partition"]["observations"]["inputs"]["0"].size(), 200u);
}

TEST(CliReport, ModelThatWasNeverStreamedOrNeverTaught) {
  const TemporaryDirectory folder;
  const testing::Stream stream = testing::smooth_stream(1, 2, 1, 50);
  SplittingGp model(2, 1);
  model.update_batch(stream.X, stream.Y);
  ModelFile::create(folder / "taught", std::move(model));
  const json taught = data_of_page(file_text(report_of(folder, folder / "taught")));
  EXPECT_TRUE(taught["stream"].is_null());
  EXPECT_EQ(taught["partition"]["maps"].size(), 1u);
  EXPECT_EQ(taught["inputs"][1]["name"], "2");

  ModelFile::create(folder / "empty", SplittingGp(2, 1));
  const json empty = data_of_page(file_text(report_of(folder, folder / "empty")));
  EXPECT_EQ(empty["observations"], 0);
  EXPECT_TRUE(empty["partition"].is_null());

  // One observation, and one that repeats over and over: no spread anywhere.
  for (const int count : {1, 120}) {
    Options options;
    options.split_limit = 40;
    SplittingGp constant(2, 1, options);
    for (int i = 0; i < count; ++i) {
      constant.update(Eigen::Vector2d(3.0, 4.0), Eigen::VectorXd::Constant(1, 5.0));
    }
    const std::string name = "constant" + std::to_string(count);
    ModelFile::create(folder / name, std::move(constant));
    const json data = data_of_page(file_text(report_of(folder, folder / name)));
    EXPECT_EQ(data["partition"]["maps"].size(), 1u);
    EXPECT_LT(data["partition"]["maps"][0]["x"][0], 3.0);
    EXPECT_GT(data["partition"]["maps"][0]["x"].back(), 3.0);
  }
}

// What `splitgp report` with these arguments prints on a terminal.
std::string on_terminal(const std::string& arguments) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_TRUE(terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0);
  const std::string name = ::ptsname(terminal);
  // Held open: what was printed would be lost when the last writer closes it.
  const int held = ::open(name.c_str(), O_RDWR | O_NOCTTY);
  const std::string command = SPLITGP_COMMAND " report " + arguments + " 2>" + name;
  EXPECT_EQ(std::system(command.c_str()), 0);
  ::fcntl(terminal, F_SETFL, O_NONBLOCK);
  std::string text(4096, '\0');
  const ssize_t length = ::read(terminal, text.data(), text.size());
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  ::close(held);
  ::close(terminal);
  return text;
}

TEST(CliReport, SaysOnATerminalWhereThePageIs) {
  const TemporaryDirectory folder;
  const std::string model = streamed_model(folder, 60, {"a"}, {"y"});
  const std::string page = folder / "page.html";
  const std::string piped = folder / "piped.html";
  EXPECT_EQ(on_terminal("-m " + model + " -o " + page), "wrote " + page + "\r\n");
  EXPECT_EQ(on_terminal("-m " + model + " -o - >" + piped), "");
  EXPECT_TRUE(file_text(piped) == file_text(page));
}

TEST(CliReport, RefusesInOneLine) {
  const TemporaryDirectory folder;
  const std::string model = streamed_model(folder, 60, {"a", "b"}, {"y"});
  const std::string page = folder / "page.html";
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::string message;
  };
  write_text(folder / "text", "no model\n");
  std::filesystem::create_directory(folder / "folder");
  const std::vector<Case> cases{
      {{"-m", folder / "none", "-o", page}, 1, "none"},
      {{"-m", folder / "text", "-o", page}, 1, "text"},
      {{"-m", model, "-o", folder / "none" / "page.html"}, 1, "No such file or directory"},
      {{"-m", model, "-o", folder / "folder"}, 1, "is a directory"},
      {{"-m", model, "-o", page, "--inputs", "a,q"}, 2, "--inputs: there is no column 'q'"},
      {{"-m", model, "-o", page, "--inputs", "a,a"}, 2, "column 'a' is named twice"},
      {{"-m", model, "-o", page, "--inputs", "a,1"}, 2, "column 'a' is named twice"},
      {{"-m", model, "-o", page, "--inputs", "a"}, 2, "--inputs: a map has two inputs, not 1"},
      {{"-m", model, "-o", page, "--inputs", "y,a"}, 2, "there is no column 'y'"},
      {{"-o", page}, 2, "--model"},
  };
  for (const Case& refused : cases) {
    std::vector<std::string> arguments{"report"};
    arguments.insert(arguments.end(), refused.arguments.begin(), refused.arguments.end());
    const CommandResult result = run(folder.path(), arguments);
    EXPECT_EQ(result.code, refused.code) << result.err;
    EXPECT_THAT(result.err, ::testing::StartsWith("splitgp: "));
    EXPECT_THAT(result.err, HasSubstr(refused.message));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  }
  EXPECT_FALSE(std::filesystem::exists(page));
}

TEST(CliReport, FullDiskLeavesTheOldPage) {
  const TemporaryDirectory folder;
  const std::string model = streamed_model(folder, 60, {"a", "b"}, {"y"});
  const CommandResult full = run(folder.path(), {"report", "-m", model, "-o", "/dev/full"});
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("/dev/full: cannot be written: No space left on device"));

  // A limit on the size of files stands in for a full disk.
  write_text(folder / "report.html", "old");
  const std::string command = "ulimit -f 100; trap '' XFSZ; exec " SPLITGP_COMMAND " report -m " +
                              model + " -o " + (folder / "report.html").string() + " 2>" +
                              (folder / "err").string();
  EXPECT_NE(std::system(("bash -c \"" + command + "\"").c_str()), 0);
  EXPECT_THAT(file_text(folder / "err"), HasSubstr("File too large"));
  EXPECT_EQ(file_text(folder / "report.html"), "old");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_THAT(entry.path().string(), Not(HasSubstr(".writing-")));
  }
}

// Local GPs with the same center: no query reaches all of them.
TEST(CliInspect, ConditionOfEveryLocalGpIsKnown) {
  const TemporaryDirectory folder;
  Options options;
  options.split_limit = 4;
  options.neighbors = 2;
  options.training = Training::off;
  SplittingGp model(1, 1, options);
  for (int i = 0; i < 100; ++i) {
    model.update(Eigen::VectorXd::Constant(1, 2.0), Eigen::VectorXd::Constant(1, 0.1 * i));
  }
  ASSERT_GT(model.n_local(), 3);
  ModelFile::create(folder / "model", std::move(model));
  const json described =
      json::parse(run(folder.path(), {"inspect", "-m", folder / "model", "--json"}).out);
  for (const json& local : described["local_gps"]) EXPECT_GE(local["condition"], 1.0);
}

}  // namespace
}  // namespace splitgp::cli_report_test
