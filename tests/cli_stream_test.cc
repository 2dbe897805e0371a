// The stream command, as a process, on small inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "splitgp/model_file.h"
#include "support/command.h"
#include "support/random_matrix.h"
#include "support/sanitized.h"
#include "support/temporary_directory.h"

namespace splitgp::cli_stream_test {
namespace {

using testing::CommandProcess;
using testing::CommandResult;
using testing::file_text;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

// Rows of y = sin(3 x1) + x2, with a bad one in every `bad`.
std::string rows(int count, int bad = 0, std::uint64_t seed = 3) {
  testing::Random random(seed);
  std::string text = "x1,x2,y\n";
  for (int i = 0; i < count; ++i) {
    const double x1 = random.uniform();
    const double x2 = random.uniform();
    text += std::to_string(x1) + "," + std::to_string(x2) + "," +
            (bad > 0 && i % bad == bad - 1 ? "oops" : std::to_string(std::sin(3.0 * x1) + x2)) +
            "\n";
  }
  return text;
}

// The stream's own counts, and the model's.
nlohmann::json inspected(const TemporaryDirectory& folder, const std::string& model) {
  const CommandResult result = run(folder.path(), {"inspect", "--model", model, "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(CliStream, RowsReadAreLearnedOrRejected) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(100, 10));
  const std::string model = folder / "model.splitgp";
  const CommandResult result =
      run(folder.path(), {"stream", folder / "in.csv", "--target", "y", "--model", model,
                          "--predictions", folder / "p.csv", "--rejects", folder / "r.csv"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("read 100 rows: 90 learned, 10 rejected"));
  EXPECT_THAT(result.err, HasSubstr("line 11: column 'y': 'oops' is not a number"));
  EXPECT_EQ(lines(file_text(folder / "p.csv")), 1u + 90u);
  EXPECT_EQ(lines(file_text(folder / "r.csv")), 1u + 10u);
  EXPECT_THAT(file_text(folder / "p.csv"), HasSubstr("row,mean,sd,lower,upper,observed,z\n"));
  EXPECT_THAT(file_text(folder / "r.csv"), HasSubstr("\n10,"));
  const nlohmann::json model_json = inspected(folder, model);
  EXPECT_EQ(model_json["observations"], 90);
  EXPECT_EQ(model_json["stream"]["rows_read"], 100);
  EXPECT_EQ(model_json["stream"]["learned"], 90);
  EXPECT_EQ(model_json["stream"]["rejected"], 10);
}

// No number depends on them, so a model need not keep those it was created with.
TEST(CliStream, ThreadsMayDifferFromRunToRun) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(80));
  const auto stream = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> arguments{"stream", folder / "in.csv", "-t", "y", "-m", folder / name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(folder.path(), testing::quick_training(arguments));
  };
  for (const std::string threads : {"1", "2"}) {
    const std::string predictions = folder / (threads + ".csv");
    EXPECT_EQ(stream(threads, {"--predictions", predictions, "--limit", "40"}).code, 0);
    EXPECT_EQ(stream(threads, {"--predictions", predictions, "--threads", threads}).code, 0);
  }
  EXPECT_EQ(lines(file_text(folder / "1.csv")), 1u + 80u);
  EXPECT_EQ(file_text(folder / "1.csv"), file_text(folder / "2.csv"));
  EXPECT_EQ(stream("2", {"--threads", "0"}).code, 2);
}

TEST(CliStream, StrictEndsAtTheFirstBadRowAndKeepsWhatCameBefore) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(100, 10));
  const std::string model = folder / "model.splitgp";
  const CommandResult result =
      run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model, "--strict"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("in.csv: line 11: column 'y'"));
  EXPECT_EQ(inspected(folder, model)["stream"]["rows_read"], 9);
}

TEST(CliStream, ResumedRunsEqualOneRun) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(300, 7));
  std::string predictions;
  nlohmann::json whole;
  for (const bool in_parts : {false, true}) {
    const std::string model = folder / (in_parts ? "parts.splitgp" : "whole.splitgp");
    const std::string written = folder / (in_parts ? "parts.csv" : "whole.csv");
    std::vector<std::string> arguments{"stream",
                                       folder / "in.csv",
                                       "-t",
                                       "y",
                                       "-m",
                                       model,
                                       "--split-limit",
                                       "20",
                                       "--training",
                                       "off",
                                       "--predictions",
                                       written,
                                       "--rejects",
                                       written + ".bad"};
    if (!in_parts) {
      EXPECT_EQ(run(folder.path(), arguments).code, 0);
      predictions = file_text(written);
      whole = inspected(folder, model);
      continue;
    }
    arguments.insert(arguments.end(), {"--limit", "77"});
    for (int part = 0; part < 5; ++part) {
      const CommandResult result = run(folder.path(), arguments);
      EXPECT_EQ(result.code, 0) << result.err;
    }
    nlohmann::json parts = inspected(folder, model);
    for (const char* field : {"rows_read", "learned", "rejected"}) {
      EXPECT_EQ(parts["stream"][field], whole["stream"][field]) << field;
    }
    // A resumed model has rebuilt its factors, which rounds differently.
    const nlohmann::json scores = parts["stream"]["scores"].flatten();
    const nlohmann::json expected = whole["stream"]["scores"].flatten();
    ASSERT_EQ(scores.size(), expected.size());
    for (const auto& [name, value] : expected.items()) {
      const double number = value;
      EXPECT_NEAR(scores[name].get<double>(), number, 1e-9 * std::abs(number)) << name;
    }
    EXPECT_EQ(parts["splits"], whole["splits"]);
    EXPECT_EQ(parts["observations"], whole["observations"]);
    EXPECT_EQ(lines(file_text(written)), lines(predictions));
    EXPECT_EQ(file_text(folder / "parts.csv.bad"), file_text(folder / "whole.csv.bad"));
  }
}

TEST(CliStream, ARunWithNothingNewChangesNothing) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(20));
  const std::string model = folder / "model.splitgp";
  for (int time = 0; time < 2; ++time) {
    const CommandResult result =
        run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(inspected(folder, model)["observations"], 20);
  }
  // A log that has grown continues where it was.
  write_text(folder / "in.csv", rows(25));
  run(folder.path(), {"stream", folder / "in.csv", "-m", model});
  EXPECT_EQ(inspected(folder, model)["observations"], 25);
}

TEST(CliStream, PredictionsWrittenAfterTheLastCommitAreWrittenOnce) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(20));
  const std::string written = folder / "p.csv";
  const std::vector<std::string> arguments{
      "stream", folder / "in.csv", "-t", "y", "-m", folder / "model.splitgp", "--predictions",
      written};
  std::vector<std::string> first = arguments;
  first.insert(first.end(), {"--limit", "10"});
  EXPECT_EQ(run(folder.path(), first).code, 0);
  // As a crash would leave it: rows that no commit knows of, the last of them cut off.
  write_text(written, file_text(written) + "11,0,1,-2,2,5\n12,0,1,-");
  EXPECT_EQ(run(folder.path(), arguments).code, 0);
  const std::string text = file_text(written);
  EXPECT_EQ(lines(text), 21u);
  EXPECT_THAT(text, Not(HasSubstr("11,0,1,-2")));
}

TEST(CliStream, ColumnOrderMayChangeBetweenInputs) {
  const TemporaryDirectory folder;
  write_text(folder / "a.csv", "x1,x2,y\n1,2,3\n");
  write_text(folder / "b.csv", "y;extra;x2;x1\n3;7;2;1\n");
  write_text(folder / "c.ndjson", "{\"x2\":2,\"y\":3,\"x1\":1}\n");
  write_text(folder / "d.csv", "x1,y\n1,3\n");
  const CommandResult result =
      run(folder.path(), {"stream", folder / "a.csv", folder / "b.csv", folder / "c.ndjson",
                          folder / "d.csv", "-t", "y", "--training", "off", "--noise-variance",
                          "1e-6", "--predictions", folder / "p.csv"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("read 4 rows: 3 learned, 1 rejected"));
  EXPECT_THAT(result.err, HasSubstr("the header has no column 'x2'"));
  // The same observation, so the second and third are known almost exactly.
  EXPECT_THAT(file_text(folder / "p.csv"), HasSubstr("\n3,2.99999"));
}

TEST(CliStream, EmptyAndHeaderOnlyInputs) {
  const TemporaryDirectory folder;
  write_text(folder / "empty.csv", "");
  write_text(folder / "header.csv", "a,b\n");
  const CommandResult empty = run(folder.path(), {"stream", folder / "empty.csv", "-t", "b"});
  EXPECT_EQ(empty.code, 0);
  EXPECT_THAT(empty.err, HasSubstr("the input is empty"));
  const CommandResult header = run(folder.path(), {"stream", folder / "header.csv", "-t", "b"});
  EXPECT_EQ(header.code, 0);
  EXPECT_THAT(header.err, HasSubstr("header.csv: there are no rows after the header"));
}

TEST(CliStream, ErrorsAreOneLineAndACode) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(5));
  write_text(folder / "numbers.csv", "1.5,2\n3,4\n");
  write_text(folder / "text.txt", "hello\n");
  const std::string in = folder / "in.csv";
  const std::string text = folder / "text.txt";
  const struct {
    std::vector<std::string> arguments;
    int code;
    std::string says;
  } cases[] = {
      {{"stream", in}, 2, "--target is missing"},
      {{"stream", in, "-t", "z"}, 2, "there is no column 'z'; the columns are x1, x2, y"},
      {{"stream", in, "-t", "4"}, 2, "no column '4'"},
      {{"stream", folder / "no.csv", "-t", "y"}, 1, "no.csv: No such file"},
      {{"stream", folder.path(), "-t", "y"}, 1, "is a directory"},
      {{"stream", in, "-t", "y", "--kernel", "cubic"}, 2, "cubic"},
      {{"stream", in, "-t", "y", "--split-limit", "0"}, 2, "split_limit"},
      {{"stream", in, "-t", "y", "--length-scale", "1,2,3"}, 2, "length_scale"},
      {{"stream", folder / "numbers.csv", "-t", "1"}, 2, "--no-header"},
      {{"stream", in, "-t", "y", "-m", text}, 1, "text.txt"},
      {{"stream", in, "-t", "y", "--test-only"}, 2, "--model"},
      {{"predict", in, "-m", folder / "no.splitgp"}, 1, "no.splitgp"},
      {{"inspect", "-m", text}, 1, "text.txt"},
      {{"nonsense"}, 2, "see --help"},
      {{}, 2, "subcommand"},
  };
  for (const auto& [arguments, code, says] : cases) {
    const CommandResult result = run(folder.path(), arguments);
    EXPECT_EQ(result.code, code) << says << "\n" << result.err;
    EXPECT_THAT(result.err, HasSubstr(says));
    EXPECT_EQ(lines(result.err), 1u) << result.err;
  }
  EXPECT_EQ(file_text(folder / "text.txt"), "hello\n");
}

TEST(CliStream, AModelKeepsItsOptions) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(5));
  const std::string model = folder / "model.splitgp";
  ASSERT_EQ(run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model}).code, 0);
  const CommandResult result =
      run(folder.path(), {"stream", folder / "in.csv", "-m", model, "--split-limit", "7"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("was made with 62"));
  const CommandResult groups = run(
      folder.path(), {"stream", folder / "in.csv", "-m", model, "--length-scale-groups", "0,0"});
  EXPECT_EQ(groups.code, 2);
  EXPECT_THAT(groups.err, HasSubstr("--length-scale-groups 0,0: the model in "));
  EXPECT_THAT(groups.err, HasSubstr("was made with none"));
}

TEST(CliStream, LengthScaleGroupsAreOneForEachInput) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(5));
  write_text(folder / "flags.toml", "length-scale-groups = [1, 1]\n");
  EXPECT_EQ(run(folder.path(),
                {"stream", folder / "in.csv", "-t", "y", "--config", folder / "flags.toml"})
                .code,
            0);
  const CommandResult three = run(
      folder.path(), {"stream", folder / "in.csv", "-t", "y", "--length-scale-groups", "0,1,1"});
  EXPECT_NE(three.code, 0);
  EXPECT_THAT(three.err, HasSubstr("length_scale_groups has 3 values; the model needs 2"));
}

TEST(CliStream, EveryModelOptionArrives) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(5));
  const std::string model = folder / "model.splitgp";
  write_text(folder / "flags.toml",
             "target = \"y\"\nkernel = \"matern32\"\nneighbors = 3\nno-taper = true\n");
  const CommandResult result = run(folder.path(), {"stream",
                                                   folder / "in.csv",
                                                   "-m",
                                                   model,
                                                   "--config",
                                                   folder / "flags.toml",
                                                   "--no-inherit",
                                                   "--neighbors",
                                                   "4",
                                                   "--seed",
                                                   "9",
                                                   "--training",
                                                   "off",
                                                   "--length-scale",
                                                   "2",
                                                   "--fixed",
                                                   "shape,mean",
                                                   "--principal-direction",
                                                   "oja",
                                                   "--split-space",
                                                   "raw",
                                                   "--aggregation",
                                                   "similarity",
                                                   "--training-observations",
                                                   "77",
                                                   "--length-scale-groups",
                                                   "4,4"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json options = inspected(folder, model)["options"];
  EXPECT_EQ(options["kernel"], "matern32");
  EXPECT_EQ(options["neighbors"], 4);
  EXPECT_EQ(options["taper"], false);
  EXPECT_EQ(options["inherit"], false);
  EXPECT_EQ(options["seed"], 9);
  EXPECT_EQ(options["training"], "off");
  EXPECT_EQ(options["principal_direction"], "oja");
  EXPECT_EQ(options["split_space"], "raw");
  EXPECT_EQ(options["aggregation"], "similarity");
  EXPECT_EQ(options["training_observations"], 77);
  EXPECT_EQ(options["fixed"], nlohmann::json({"shape", "mean"}));
  EXPECT_EQ(options["length_scale_groups"], nlohmann::json({4, 4}));
  EXPECT_EQ(inspected(folder, model)["inputs"][1]["length_scale"], 2.0);
}

TEST(CliStream, TestOnlyLearnsNothing) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(50));
  const std::string model = folder / "model.splitgp";
  ASSERT_EQ(run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model}).code, 0);
  const std::string before = file_text(model);
  write_text(folder / "test.csv", rows(30, 0, 8));
  const CommandResult result =
      run(folder.path(), {"stream", folder / "test.csv", "-m", model, "--test-only"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("30 tested"));
  EXPECT_EQ(file_text(model), before);
}

TEST(CliStream, FlagsMayComeBeforeTheInput) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(5));
  const CommandResult result =
      run(folder.path(), {"stream", "--target", "y", "--ignore", "x2", folder / "in.csv"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("5 learned"));
}

TEST(CliStream, SeveralTargets) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(40));
  const CommandResult result =
      run(folder.path(), {"stream", folder / "in.csv", "-t", "y,x2", "--predictions", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("row,y_mean,y_sd,y_lower,y_upper,y_observed,y_z,x2_mean"));
  EXPECT_EQ(lines(result.out), 41u);
  EXPECT_THAT(result.err, HasSubstr("RMSE/sd"));  // stdout is taken, so the table is here
  EXPECT_THAT(result.err, HasSubstr("x2: RMSE"));
}

TEST(CliStream, PredictAddsColumns) {
  const TemporaryDirectory folder;
  write_text(folder / "in.csv", rows(60));
  const std::string model = folder / "model.splitgp";
  ASSERT_EQ(run(folder.path(), {"stream", folder / "in.csv", "-t", "y", "-m", model}).code, 0);
  const std::string queries = "id,x2,x1\n\"a,1\",0.5,0.25\nb,oops,0.5\nc,0.1,0.9\n";
  const CommandResult csv = run(folder.path(), {"predict", "-", "-m", model}, queries);
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_THAT(csv.out, HasSubstr("id,x2,x1,mean,sd,lower,upper\n\"a,1\",0.5,0.25,"));
  EXPECT_EQ(lines(csv.out), 3u);
  EXPECT_THAT(csv.err, HasSubstr("1 of 3 rows rejected"));
  const CommandResult json = run(
      folder.path(),
      {"predict", "-", "-m", model, "--to", "ndjson", "--keep", "id", "--threads", "2"}, queries);
  const nlohmann::json line = nlohmann::json::parse(json.out.substr(0, json.out.find('\n')));
  EXPECT_EQ(line["id"], "a,1");
  EXPECT_NEAR(line["mean"].get<double>(), std::sin(0.75) + 0.5, 0.3);
  EXPECT_LT(line["lower"].get<double>(), line["upper"].get<double>());
}

}  // namespace
}  // namespace splitgp::cli_stream_test
