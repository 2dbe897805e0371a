// The kept columns of predict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using testing::CommandResult;
using testing::run;
using ::testing::StartsWith;
using testing::TemporaryDirectory;
using testing::write_text;

class CliPredict : public ::testing::Test {
 protected:
  CliPredict() {
    write_text(folder_ / "in.csv", "x,y\n1,2\n2,3\n");
    EXPECT_EQ(run(folder_.path(), {"stream", folder_ / "in.csv", "-t", "y", "-m", model()}).code,
              0);
  }

  std::string model() const { return folder_ / "model.splitgp"; }

  // The lines of predict --to ndjson.
  std::vector<std::string> predicted(const std::string& rows) {
    const CommandResult result =
        run(folder_.path(), {"predict", "-", "-m", model(), "--to", "ndjson"}, rows);
    EXPECT_EQ(result.code, 0) << result.err;
    std::vector<std::string> lines;
    std::istringstream text(result.out);
    for (std::string line; std::getline(text, line);) {
      EXPECT_TRUE(nlohmann::json::accept(line)) << line;
      lines.push_back(line);
    }
    return lines;
  }

  TemporaryDirectory folder_;
};

// A table with a time is answered row by row later, and its error bars grow; others as the next
// row.
TEST_F(CliPredict, RowsOfATimeAreAnsweredForTheirOwn) {
  // A walk, so that nobody knows where it is later.
  std::string learned = "time,y\n", later = "time\n";
  double walk = 0.0;
  std::uint64_t state = 1;
  const auto time_of = [](int row) {
    return "2024-01-" + std::to_string(10 + row / 24) + "T" + std::to_string(10 + row % 24 / 2) +
           (row % 2 == 0 ? ":00" : ":30");
  };
  for (int row = 0; row < 330; ++row) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    walk += static_cast<double>(state >> 33) / 4294967296.0 - 0.25;
    (row < 300 ? learned : later) +=
        time_of(row) + (row < 300 ? "," + std::to_string(walk) : "") + "\n";
  }
  write_text(folder_ / "learned.csv", learned);
  write_text(folder_ / "later.csv", later);
  const std::string path = folder_ / "walk.splitgp";
  ASSERT_EQ(run(folder_.path(), {"stream", folder_ / "learned.csv", "-t", "y", "-m", path}).code,
            0);
  const auto answers = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments{"predict", folder_ / "later.csv", "-m", path};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const CommandResult result = run(folder_.path(), arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const std::string rows = answers({"--ahead", "rows"});
  EXPECT_EQ(answers({}), rows);
  EXPECT_NE(answers({"--ahead", "1"}), rows);
  EXPECT_NE(answers({"--ahead", "unknown"}), rows);
  const auto first_line = [](const std::string& text) {
    return text.substr(0, text.find('\n', 12));
  };
  EXPECT_EQ(first_line(answers({"--ahead", "1"})), first_line(rows));
  const CommandResult wrong =
      run(folder_.path(), {"predict", folder_ / "later.csv", "-m", path, "--ahead", "0"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err,
            "splitgp: --ahead is '0'; it must be a number of rows from 1, 'rows' or 'unknown'\n");
}

TEST_F(CliPredict, JsonKeepsTheDigitsOfCells) {
  const std::pair<std::string, std::string> cells[] = {
      {"9007199254740993", "9007199254740993"},
      {"007", "\"007\""},
      {"0", "0"},
      {"-0.50", "-0.50"},
      {"1e3", "1e3"},
      {"1.", "\"1.\""},
      {".5", "\".5\""},
      {"+1", "\"+1\""},
      {"-", "\"-\""},
      {"1e", "\"1e\""},
      {"nan", "\"nan\""},
      {"", "\"\""},
      {" 7", "7"},
      {"a\tb", "\"a\\tb\""},
  };
  std::string rows = "id,x\n";
  for (const auto& [cell, json] : cells) rows += cell + ",1.50\n";
  const std::vector<std::string> lines = predicted(rows);
  ASSERT_EQ(lines.size(), std::size(cells));
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_THAT(lines[k], StartsWith("{\"id\":" + cells[k].second + ",\"x\":1.50,\"mean\":"));
  }
}

TEST_F(CliPredict, JsonKeepsTheValuesOfJson) {
  const std::string values[] = {"9007199254740993", "\"12\"",   "\"007\"",  "null", "true",
                                "\"a\\n\\u00e9\"",  "[1, 2.0]", "{\"b\":0}"};
  std::string rows;
  for (const std::string& value : values) rows += "{\"id\":" + value + " ,\"x\":1.50}\n";
  rows += "{\"x\":1.50}\n";
  const std::vector<std::string> lines = predicted(rows);
  ASSERT_EQ(lines.size(), std::size(values) + 1);
  for (std::size_t k = 0; k < std::size(values); ++k) {
    EXPECT_THAT(lines[k], StartsWith("{\"id\":" + values[k] + ",\"x\":1.50,\"mean\":"));
  }
  EXPECT_THAT(lines.back(), StartsWith("{\"id\":null,\"x\":1.50,"));
}

// JSON has no largest number, though some readers do.
TEST_F(CliPredict, JsonKeepsNumbersThatNoDoubleHolds) {
  for (const std::string rows : {"id,x\n1E+400,1.50\n", "{\"id\":1E+400,\"x\":1.50}\n"}) {
    const CommandResult result =
        run(folder_.path(), {"predict", "-", "-m", model(), "--to", "ndjson"}, rows);
    EXPECT_THAT(result.out, StartsWith("{\"id\":1E+400,\"x\":1.50,\"mean\":")) << result.err;
  }
}

TEST_F(CliPredict, CsvKeepsTheDigitsOfJson) {
  const CommandResult result = run(folder_.path(), {"predict", "-", "-m", model()},
                                   "{\"id\":9007199254740993,\"x\":1.50}\n");
  EXPECT_THAT(result.out, StartsWith("id,x,mean,sd,lower,upper\n9007199254740993,1.50,"));
}

// Every row was rejected.
TEST_F(CliPredict, AColumnThatTheHeaderHasTwiceIsNotCopied) {
  const auto predict = [this](const std::string& rows, const std::string& keep) {
    return run(folder_.path(), {"predict", "-", "-m", model(), "--keep", keep}, rows);
  };
  const std::string rows = "note,x,id,note\nold,1,7,new\nbad,2,8,good\n";
  const CommandResult all = run(folder_.path(), {"predict", "-", "-m", model()}, rows);
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, StartsWith("x,id,mean,sd,lower,upper\n1,7,"));
  EXPECT_EQ(all.err, "splitgp: the header has column 'note' twice, so it is not copied\n");
  EXPECT_EQ(predicted("note,x,note\nold,1,new\n").size(), 1u);
  EXPECT_THAT(predict(rows, "id").out, StartsWith("id,mean,sd,lower,upper\n7,"));
  for (const char* keep : {"note", "4"}) {
    const CommandResult asked = predict(rows, keep);
    EXPECT_EQ(asked.code, 2);
    EXPECT_EQ(asked.err, "splitgp: the header has column 'note' twice\n");
  }
  EXPECT_EQ(predict("x,id,x\n1,7,1\n", "id").code, 2) << "the model reads x";
}

TEST_F(CliPredict, AKeyComesOnce) {
  write_text(folder_ / "two.csv", "x,y,z\n1,2,3\n2,3,4\n");
  const std::string two = folder_ / "two.splitgp";
  ASSERT_EQ(run(folder_.path(), {"stream", folder_ / "two.csv", "-t", "y,z", "-m", two}).code, 0);
  const CommandResult result =
      run(folder_.path(), {"predict", "-", "-m", two, "--to", "ndjson"}, "x,y_mean\n1,earlier\n");
  EXPECT_THAT(result.out, StartsWith("{\"x\":1,\"y_mean\":"));
  EXPECT_EQ(result.out.find("\"y_mean\""), result.out.rfind("\"y_mean\""));
  EXPECT_EQ(result.out.find("earlier"), std::string::npos);
}

TEST_F(CliPredict, EveryRowRejectedIsExitCode3AsInStream) {
  const auto code = [this](const std::string& rows) {
    return run(folder_.path(), {"predict", "-", "-m", model()}, rows).code;
  };
  EXPECT_EQ(code("x\nn\nm\n"), 3);
  EXPECT_EQ(code("x\nn\n1\n"), 0);
  EXPECT_EQ(code("x\n"), 0) << "no row is no failure";
}

TEST_F(CliPredict, OneRowIsOneRow) {
  const CommandResult result = run(folder_.path(), {"predict", "-", "-m", model()}, "x\nn\n");
  EXPECT_THAT(result.err, ::testing::HasSubstr("1 of 1 row rejected"));
}

// A model of two rows has one local GP, and its answer is a smooth curve.
TEST_F(CliPredict, GradientIsWhatDifferencesOfTheMeanSay) {
  const CommandResult result = run(folder_.path(), {"predict", "-", "-m", model(), "--gradient"},
                                   "x\n1.4999\n1.5\n1.5001\n");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("x,mean,sd,lower,upper,dy/dx\n"));
  std::istringstream lines(result.out.substr(result.out.find('\n') + 1));
  double mean[3];
  double slope[3];
  for (int i = 0; i < 3; ++i) {
    double x, sd, lower, upper;
    char comma;
    lines >> x >> comma >> mean[i] >> comma >> sd >> comma >> lower >> comma >> upper >> comma >>
        slope[i];
    ASSERT_TRUE(lines) << result.out;
  }
  EXPECT_NEAR(slope[1], (mean[2] - mean[0]) / 2e-4, 1e-6);
  EXPECT_GT(slope[1], 0.01);
}

TEST_F(CliPredict, GradientOfEachTargetHasAColumnForEachInput) {
  write_text(folder_ / "two.csv", "a,b,u,v\n1,2,3,4\n2,1,5,3\n3,3,1,1\n");
  ASSERT_EQ(run(folder_.path(),
                {"stream", folder_ / "two.csv", "-t", "u,v", "-m", folder_ / "two.splitgp"})
                .code,
            0);
  const CommandResult result =
      run(folder_.path(), {"predict", folder_ / "two.csv", "-m", folder_ / "two.splitgp",
                           "--gradient", "--keep", "none"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("u_mean,u_sd,u_lower,u_upper,v_mean,v_sd,v_lower,v_upper,"
                                     "du/da,du/db,dv/da,dv/db\n"));
}

}  // namespace
}  // namespace splitgp
