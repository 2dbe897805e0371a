// Tables as people have them, through the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "splitgp/model_file.h"
#include "support/command.h"
#include "support/report.h"
#include "support/sanitized.h"
#include "support/temporary_directory.h"
#include "table/calendar.h"

namespace splitgp::cli_table_test {
namespace {

using nlohmann::json;
using testing::CommandProcess;
using testing::CommandResult;
using testing::eventually_contains;
using testing::file_text;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

// A log with a time, two sites, a gap now and then, and a target that follows all of them.
std::string log_row(int i) {
  const double hour = 0.5 * i;
  const bool north = (i / 3) % 2 == 0;
  const double flow = 10.0 + 3.0 * std::sin(0.37 * i);
  const double power =
      50.0 + 20.0 * std::sin(hour * 2.0 * 3.14159265 / 24.0) + (north ? 5.0 : -5.0) + flow;
  std::string row =
      table::stamp_text(1.7e9 + 3600.0 * hour) + "," + (north ? "north" : "south") + ",";
  row += i % 9 == 4 ? "NA" : std::to_string(flow);
  row += i % 5 == 0 ? ",yes," : ",no,";
  return row + (i % 23 == 11 ? "" : std::to_string(power)) + "\n";
}

std::string log_rows(int from, int to) {
  std::string text = "when,site,flow,ok,power\n";
  for (int i = from; i < to; ++i) text += log_row(i);
  return text;
}

class CliTable : public ::testing::Test {
 protected:
  CommandResult stream(const std::string& text, std::vector<std::string> more = {}) {
    write_text(folder_ / "in.csv", text);
    std::vector<std::string> arguments{"stream", folder_ / "in.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(folder_.path(), testing::quick_training(arguments));
  }
  json inspected() {
    return json::parse(run(folder_.path(), {"inspect", "-m", model_, "--json"}).out);
  }

  TemporaryDirectory folder_;
  std::string model_ = folder_ / "model.splitgp";
};

TEST_F(CliTable, TakesTheTableAsItIsAndSaysSo) {
  const CommandResult result = stream(log_rows(0, 300), {"-t", "power", "-m", model_});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("when      time: hours since 2023-11-14 22:13 and the position in day"));
  EXPECT_THAT(result.out, HasSubstr("site      category: 2 levels"));
  EXPECT_THAT(result.out, HasSubstr("flow      number; missing in 33 of the first 300 rows"));
  EXPECT_THAT(result.out, HasSubstr("ok        no or yes"));
  EXPECT_THAT(result.out, HasSubstr("missing values filled, over all runs: flow 33"));
  EXPECT_THAT(
      result.out,
      HasSubstr("read 300 rows: 287 learned, 13 without a target only predicted, 0 rejected"));
  // In the table's own words.
  const json model = inspected();
  double sum = 0.0;
  std::vector<std::string> names;
  for (const json& column : model["columns"]) {
    names.push_back(column["name"]);
    sum += column["relevance"].get<double>();
  }
  EXPECT_THAT(names, ::testing::ElementsAre("when", "site", "flow", "ok"));
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_EQ(model["stream"]["predicted"], 13);
  // It has learned what the columns say: the target's spread is 16.
  EXPECT_LT(model["stream"]["table"].back()["recent_rmse"].get<double>(), 6.0);
  EXPECT_THAT(run(folder_.path(), {"inspect", "-m", model_}).out, Not(HasSubstr("code 1")));
}

// A later row is answered by predict as the stream would have answered it.
TEST_F(CliTable, PredictAnswersAsTheStreamWould) {
  const std::vector<std::string> flags{"-t",        "power", "-m",     model_,       "--lag",
                                       "power:1,2", "--lag", "flow:3", "--training", "off"};
  ASSERT_EQ(stream(log_rows(0, 80), flags).code, 0);
  const CommandResult predicted =
      run(folder_.path(), {"predict", "-", "-m", model_, "--keep", "none"},
          "ok,site,when,flow,power,more\nno,north," + table::stamp_text(1.7e9 + 3600.0 * 40.0) +
              ",11,,x\n");
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  std::vector<std::string> more = flags;
  more.insert(more.end(), {"--predictions", folder_ / "p.csv"});
  const std::string last = table::stamp_text(1.7e9 + 3600.0 * 40.0) + ",north,11,no,\n";
  ASSERT_EQ(stream(log_rows(0, 80) + last, more).code, 0);
  const std::string line = predicted.out.substr(predicted.out.find('\n') + 1);
  EXPECT_THAT(file_text(folder_ / "p.csv"), HasSubstr("81," + line.substr(0, line.size() - 1)));
}

std::vector<std::vector<double>> lines_of(const std::string& text) {
  std::vector<std::vector<double>> lines;
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);  // the header
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string field;
    lines.emplace_back();
    while (std::getline(fields, field, ',')) {
      // A row that was only predicted has no observation.
      lines.back().push_back(field.empty() ? 0.0 : std::stod(field));
    }
  }
  return lines;
}

// Killed again and again, with lags, categories, gaps and rows that wait: every row is answered
// once, and the model has learned the same inputs, to the bit. A resumed model has rebuilt its
// factors, which rounds differently, so answers may differ by that.
TEST_F(CliTable, ResumesAfterKillsAsIfThereWereNone) {
  const int rows = testing::kSanitized ? 250 : 600;
  write_text(folder_ / "in.csv", log_rows(0, rows));
  const auto arguments = [&](const std::string& name) {
    return std::vector<std::string>{"stream",
                                    folder_ / "in.csv",
                                    "-t",
                                    "power",
                                    "-m",
                                    folder_ / (name + ".splitgp"),
                                    "--predictions",
                                    folder_ / (name + ".csv"),
                                    "--lag",
                                    "power:0,1,24",
                                    "--by",
                                    "site",
                                    "--horizon",
                                    "3",
                                    "--batch",
                                    "7",
                                    "--capacity",
                                    "40",
                                    "--training",
                                    "off",
                                    "--durability",
                                    "normal"};
  };
  ASSERT_EQ(run(folder_.path(), arguments("whole")).code, 0);
  int killed = 0;
  for (int i = 0; i < 10; ++i) {
    CommandProcess process(folder_.path(), arguments("parts"));
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + 13 * i));
    process.signal(SIGKILL);
    if (process.wait() == 128 + SIGKILL) ++killed;
    // Whenever it dies, the counts are those of the rows that the file holds.
    model_ = folder_ / "parts.splitgp";
    if (!std::filesystem::exists(model_)) continue;
    const json found = inspected();
    if (found.contains("stream") && !found["stream"].is_null()) {
      EXPECT_EQ(found["stream"]["learned"], found["seen"]);
    } else {
      EXPECT_EQ(found["seen"], 0);
    }
  }
  EXPECT_GT(killed, 0);
  const CommandResult rest = run(folder_.path(), arguments("parts"));
  EXPECT_EQ(rest.code, 0) << rest.err;
  const auto expected = lines_of(file_text(folder_ / "whole.csv"));
  const auto lines = lines_of(file_text(folder_ / "parts.csv"));
  ASSERT_EQ(lines.size(), expected.size());
  ASSERT_GT(lines.size(), 150u);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i].size(), expected[i].size());
    for (std::size_t k = 0; k < lines[i].size(); ++k) {
      ASSERT_NEAR(lines[i][k], expected[i][k], 1e-9 * (1.0 + std::abs(expected[i][k])));
    }
  }
  const Observations observed = load(folder_ / "parts.splitgp").model.observations();
  const Observations whole_observed = load(folder_ / "whole.splitgp").model.observations();
  ASSERT_EQ(observed.sequence, whole_observed.sequence);
  EXPECT_TRUE(observed.inputs == whole_observed.inputs);
  EXPECT_TRUE(observed.outputs == whole_observed.outputs);
  for (const char* field : {"learned", "predicted", "early", "rejected", "rows_read"}) {
    model_ = folder_ / "whole.splitgp";
    const json whole = inspected();
    model_ = folder_ / "parts.splitgp";
    EXPECT_EQ(inspected()["stream"][field], whole["stream"][field]) << field;
  }
}

TEST_F(CliTable, TheRecipeAsFlagsGivesTheSameRecipe) {
  const std::vector<std::string> flags{"-t", "power", "--lag", "power:2", "--missing", "-99,none"};
  std::vector<std::string> explain = flags;
  explain.push_back("--explain-recipe");
  const CommandResult explained = stream(log_rows(0, 100), explain);
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("as = [\"when=time\", \"site=category\""));
  write_text(folder_ / "flags.toml", explained.out);
  const CommandResult again = run(folder_.path(), {"stream", folder_ / "in.csv", "--config",
                                                   folder_ / "flags.toml", "--explain-recipe"});
  EXPECT_EQ(again.code, 0) << again.err;
  const auto flags_of = [](std::string text) {  // without what is said about them
    for (std::size_t at = 0; (at = text.find("# ", at)) != std::string::npos;) {
      text.erase(at, text.find('\n', at) - at);
    }
    return text;
  };
  EXPECT_EQ(flags_of(again.out), flags_of(explained.out));
  const CommandResult a = stream(log_rows(0, 60), {"-t", "power", "--lag", "power:2", "--missing",
                                                   "-99,none", "--predictions", "-"});
  const CommandResult b =
      run(folder_.path(), testing::quick_training({"stream", folder_ / "in.csv", "--config",
                                                   folder_ / "flags.toml", "--predictions", "-"}));
  EXPECT_EQ(b.code, 0) << b.err;
  EXPECT_EQ(a.out, b.out);
}

TEST_F(CliTable, AnOrderOfDayAndMonthIsAFlagOnlyWhereItMatters) {
  const std::vector<std::string> flags{"-t", "y", "--explain-recipe"};
  EXPECT_THAT(stream("d,y\n2012/01/01,1\n2012/01/02,2\n", flags).out, HasSubstr("\"d=time\""));
  EXPECT_THAT(stream("d,y\n31/01/2012,1\n01/02/2012,2\n", flags).out, HasSubstr("\"d=day-first\""));
  EXPECT_THAT(stream("d,y\n01/31/2012,1\n02/01/2012,2\n", flags).out,
              HasSubstr("\"d=month-first\""));
}

// Names that a terminal would obey, or that TOML and lists cannot hold, are given by number.
TEST_F(CliTable, TheRecipeAsFlagsIsSafeToPrint) {
  const std::string text = "a\x1b[31m,b,c\x85,\"d,e\",\"f\"\"g\",y\n1,x,2,3,4,5\n2,y,3,4,5,6\n";
  const CommandResult explained = stream(text, {"-t", "y", "--explain-recipe"});
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_EQ(explained.out.find_first_of("\x1b\x85"), std::string::npos);
  EXPECT_THAT(explained.out,
              HasSubstr(R"(as = ["1=number", "b=category", "3=number", "4=number", "5=number"])"));
  write_text(folder_ / "flags.toml", explained.out);
  const CommandResult again = run(folder_.path(), {"stream", folder_ / "in.csv", "--config",
                                                   folder_ / "flags.toml", "--explain-recipe"});
  EXPECT_EQ(again.out, explained.out) << again.err;
}

// Nobody reads a table that a full disk has swallowed.
TEST_F(CliTable, StandardOutputThatCannotBeWrittenIsAnError) {
  write_text(folder_ / "in.csv", log_rows(0, 30));
  const std::string command =
      SPLITGP_COMMAND + std::string(" stream ") + std::string(folder_ / "in.csv") +
      " -t power --training off > /dev/full 2> " + std::string(folder_ / "err");
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(file_text(folder_ / "err"), HasSubstr("standard output: cannot be written"));
}

TEST_F(CliTable, AnAgeHasAUnitAndIsPrinted) {
  std::string text = "day,y\n";
  for (int i = 0; i < 60; ++i)
    text +=
        table::stamp_text(1.3e9 + 86400.0 * i).substr(0, 10) + "," + std::to_string(i % 7) + "\n";
  const auto with_age = [&](const std::string& age) {
    return stream(text,
                  {"-t", "y", "--training", "off", "--max-age", age, "-m", folder_ / (age + "m")});
  };
  CommandResult result = with_age("30d");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Observations older than 30 days by day are forgotten."));
  EXPECT_THAT(result.err, Not(HasSubstr("--max-age")));
  model_ = folder_ / "30dm";
  EXPECT_EQ(inspected()["observations"], 31);
  EXPECT_EQ(inspected()["options"]["max_age"], 2592000.0);
  EXPECT_THAT(with_age("12h").out, HasSubstr("older than 12 hours"));
  result = with_age("30");
  EXPECT_THAT(result.out, HasSubstr("older than 30 seconds by day"));
  EXPECT_THAT(result.err,
              HasSubstr("--max-age is 30 seconds, so of the 32 rows learned only 1 is left; is "
                        "another unit meant, such as 30d?"));
  for (const char* age : {"30x", "d", "-3d", "nan", "inf", "1e", ""}) {
    EXPECT_EQ(with_age(age).code, 2) << age;
  }
  result = stream("day,y\n2013-03-24,1\n2013-03-25,2\n2013-03-22,3\n",
                  {"-t", "y", "--max-age", "30d", "-m", model_ + "2"});
  EXPECT_THAT(result.err, HasSubstr("line 4: the time '2013-03-22' is before '2013-03-25', that of "
                                    "line 3; with --max-age times must not decrease"));
  result = stream("day,y\n2013-03-24,1\n2013-03-25,2\n2013-03-22,3\n2013-03-21,4\n",
                  {"-t", "y", "-m", model_ + "2"});
  EXPECT_THAT(result.err, HasSubstr("line 5: the time '2013-03-21': time of row 0 is"));
}

TEST_F(CliTable, AModelKeepsItsRecipe) {
  ASSERT_EQ(stream(log_rows(0, 40), {"-t", "power", "-m", model_, "--lag", "power:1"}).code, 0);
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--lag", "power:2"}, "--lag power:2: the model was made with power:1, and keeps it"},
      {{"--as", "site=number"}, "--as site=number"},
      {{"--fill", "last"}, "--fill last"},
      {{"--horizon", "5"}, "--horizon 5"},
      {{"--by", "site"}, "--by site"},
      {{"--cycles", "year"}, "--cycles year"},
  };
  for (const auto& [flags, says] : cases) {
    std::vector<std::string> arguments{"-m", model_};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const CommandResult result = stream(log_rows(0, 50), arguments);
    EXPECT_EQ(result.code, 2) << says;
    EXPECT_THAT(result.err, HasSubstr(says));
  }
  EXPECT_EQ(stream(log_rows(0, 50), {"-m", model_, "--lag", "power:1"}).code, 0);
}

TEST_F(CliTable, BadInputGetsAWordAndNothingIsLost) {
  // An impossible date.
  CommandResult result =
      stream("when,y\n2024-01-30,1\n2024-01-31,2\n2024-02-30,3\n2024-02-01,4\n", {"-t", "y"});
  EXPECT_THAT(result.out, HasSubstr("3 learned, 1 rejected"));
  EXPECT_THAT(
      result.err,
      HasSubstr("line 4: column 'when': '2024-02-30' is not a date: February 2024 has 29 days"));
  // Zones in some rows.
  result = stream("when,y\n2024-01-30T00:00Z,1\n2024-01-31T00:00,2\n", {"-t", "y", "-m", model_});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("names a zone"));
  EXPECT_FALSE(std::filesystem::exists(model_));
  // A number that turns into text.
  result = stream("x,y\n1,1\n2,2\n3,3\nbroken,4\n5,5\n", {"-t", "y"});
  EXPECT_THAT(result.out, HasSubstr("4 learned, 1 rejected"));
  EXPECT_THAT(result.err, HasSubstr("line 5: column 'x': 'broken' is not a number"));
  // A column named twice.
  result = stream("x,x,y\n1,2,3\n", {"-t", "y"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("the header has column 'x' twice"));
  EXPECT_EQ(stream("x,x,z,y\n1,2,3,4\n", {"-t", "y", "--ignore", "x"}).code, 0);
  // No column has a number for the target.
  result = stream("x,y\n1,a\n2,b\n", {"-t", "y"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("column 'y': 'a' is not a number"));
  // A boolean that is neither.
  std::string text = "ok,y\n";
  for (int i = 0; i < 1000; ++i)
    text += std::string(i % 2 == 0 ? "yes" : "no") + "," + std::to_string(i % 2) + "\n";
  result = stream(text + "maybe,1\n", {"-t", "y", "--training", "off"});
  EXPECT_THAT(result.err, HasSubstr("'maybe' is none of no, yes"));
}

TEST_F(CliTable, EmptyRowsAndColumnsAndDecimalCommas) {
  std::string text = "Date;Time;a;b;;\r\n";
  for (int i = 0; i < 40; ++i) {
    text += "1" + std::to_string(i % 10) + "/03/2004;" + std::to_string(10 + i % 10) + ".00.00;" +
            std::to_string(i) + ",5;" + std::to_string(2 * i) + ",25;;\r\n";
  }
  const CommandResult result =
      stream(text + ";;;;;\r\n;;;;;\r\n", {"-t", "b", "--predictions", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("Time      time, with Date"));
  EXPECT_THAT(result.err, HasSubstr("5         left out: empty in the first 42 rows"));
  EXPECT_THAT(result.err, HasSubstr("40 learned, 2 rejected"));
  EXPECT_THAT(result.err, HasSubstr("the row is empty"));
  EXPECT_THAT(result.out, HasSubstr(",78.25,"));
}

TEST_F(CliTable, TenThousandLevelsNeedNoLargerModel) {
  std::string text = "who,y\n";
  std::uint32_t state = 1;
  const int rows = testing::kSanitized ? 1100 : 3000;
  for (int i = 0; i < rows; ++i) {
    state = 1664525u * state + 1013904223u;
    text += "w" + std::to_string((state >> 8) % 10'000) + "," + std::to_string(i % 7) + "\n";
  }
  const CommandResult result =
      stream(text, {"-t", "y", "-m", model_, "--training", "off", "--capacity", "40"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("who       category: 9"));
  EXPECT_THAT(result.out, HasSubstr(testing::kSanitized ? "1,100 learned, 0 rejected"
                                                        : "3,000 learned, 0 rejected"));
  EXPECT_EQ(inspected()["inputs"].size(), 32u);
}

TEST_F(CliTable, AColumnThatIsEmptyAtFirst) {
  std::string text = "x,late,y\n";
  for (int i = 0; i < 1100; ++i) {
    text +=
        std::to_string(i % 13) + "," + (i < 1050 ? "" : "5") + "," + std::to_string(i % 13) + "\n";
  }
  const std::vector<std::string> quick{"-t", "y", "--training", "off", "--capacity", "40"};
  CommandResult result = stream(text, quick);
  EXPECT_THAT(
      result.out,
      HasSubstr("late      left out: empty in the first 1,000 rows; --as late=number takes it"));
  EXPECT_THAT(result.out, HasSubstr("1,100 learned, 0 rejected"));
  std::vector<std::string> taken = quick;
  taken.insert(taken.end(), {"--as", "late=number"});
  result = stream(text, taken);
  EXPECT_THAT(result.out, HasSubstr("missing values filled, over all runs: late 1,050"));
  EXPECT_THAT(result.out, HasSubstr("1,100 learned, 0 rejected"));
}

// Whatever flag names it: which of them is meant nobody knows, and it used to be read from beyond
// the end of the row.
TEST_F(CliTable, AColumnThatTheHeaderHasTwiceCanOnlyBeLeftOut) {
  const std::vector<std::vector<std::string>> flags = {
      {"-t", "y", "--inputs", "a"},   {"-t", "a"},
      {"-t", "y", "--lag", "a:1"},    {"-t", "y", "--by", "a"},
      {"-t", "y", "--time", "a"},     {"-t", "y", "--as", "a=number"},
      {"-t", "y", "--inputs", "4,b"}, {"-t", "y", "--inputs", "b", "--as", "a=category"}};
  for (const std::vector<std::string>& more : flags) {
    const CommandResult result = stream("a,b,y,a\n1,2,3,4\n5,6,7,8\n", more);
    EXPECT_EQ(result.code, 2) << more.back();
    EXPECT_THAT(result.err, HasSubstr("the header has column 'a' twice")) << more.back();
  }
  EXPECT_EQ(stream("a,b,y,a\n1,2,3,4\n5,6,7,8\n", {"-t", "y", "--as", "a=ignore"}).code, 0);
  // Nor can predict know.
  ASSERT_EQ(stream("a,b,y\n1,2,3\n5,6,7\n", {"-t", "y", "-m", model_}).code, 0);
  const CommandResult result =
      run(folder_.path(), {"predict", "-", "-m", model_, "--keep", "b"}, "a,b,a\n1,2,3\n");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("the header has column 'a' twice"));
}

// Nothing can be found from a header alone, and what was found would be kept for good.
TEST_F(CliTable, AFileWithOnlyAHeaderFixesNothing) {
  const std::vector<std::string> flags{"-t", "power", "-m", model_};
  CommandResult result = stream("when,site,flow,ok,power\n", flags);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no rows after the header"));
  EXPECT_FALSE(std::filesystem::exists(model_));
  result = stream(log_rows(0, 30), flags);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("29 learned, 1 without a target only predicted, 0 rejected"));
  // Nor does one that comes before the others, or that has nothing sound.
  write_text(folder_ / "broken.csv", "when,site,flow,ok,power\n1,2\n\"3\n");
  write_text(folder_ / "empty.csv", "when,site,flow,ok,power\n");
  result =
      run(folder_.path(), {"stream", folder_ / "empty.csv", folder_ / "broken.csv",
                           folder_ / "in.csv", "-t", "power", "-m", folder_ / "other.splitgp"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("29 learned, 1 without a target only predicted, 2 rejected"));
}

// A value that is missing in the few first rows there are does not close its column for good.
TEST_F(CliTable, AColumnThatIsEmptyInFewRowsStaysOpen) {
  const std::vector<std::string> flags{"-t", "y", "-m", model_, "--training", "off"};
  CommandResult result = stream("x,size,kind,y\n1,,,1\n", flags);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("size      open: empty in the first row"));
  std::string text = "x,size,kind,y\n";
  for (int i = 0; i < 60; ++i) {
    const bool red = i % 2 == 0;
    text += "1," + (i < 2 ? "" : std::to_string(i % 5)) + (red ? ",red," : ",blue,") +
            std::to_string(i % 5 + (red ? 10 : 0)) + "\n";
  }
  write_text(folder_ / "more.csv", text);
  for (const char* limit : {"20", "100"}) {  // a restart between
    result = run(folder_.path(), {"stream", folder_ / "more.csv", "-m", model_, "--limit", limit});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(", 0 rejected"));
  }
  result = run(folder_.path(), {"predict", "-", "-m", model_, "--keep", "none"},
               "x,size,kind\n1,3,red\n1,3,blue\n1,0,blue\n");
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3u) << result.err;
  EXPECT_GT(lines[0][0], lines[1][0] + 5.0);
  EXPECT_GT(lines[1][0], lines[2][0] + 1.0);
  // What a column turned out to be, it stays.
  result = run(folder_.path(), {"predict", "-", "-m", model_}, "x,size,kind\n1,big,red\n");
  EXPECT_THAT(result.err, HasSubstr("column 'size': 'big' is not a number"));
  EXPECT_EQ(run(folder_.path(), {"report", "-m", model_, "-o", folder_ / "r.html"}).code, 0);
}

// Processor time of the commands that have ended.
double seconds_of_commands() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

// Time used to grow with the square of their number.
TEST_F(CliTable, AHundredThousandColumnsTakeNoLongerThanTheirText) {
  std::string names = "y";
  for (int i = 0; i < 100'000; ++i) names += ",c" + std::to_string(i);
  const double before = seconds_of_commands();
  EXPECT_EQ(stream(names + "\n", {"-t", "y"}).code, 0);
  std::string values = "1";
  for (int i = 0; i < 100'000; ++i) values += ",";
  std::string text = names + "\n" + values + "\n" + values + "\n";
  text[names.size() + 2] = '7';
  // All but one are empty, and left out.
  EXPECT_EQ(stream(text, {"-t", "y", "--inputs", "c1", "--as", "c1=number"}).code, 0);
  // 40,000 columns took 30 s before; these take a second or two, under a sanitizer.
  EXPECT_LT(seconds_of_commands() - before, 20.0);
}

TEST_F(CliTable, AnotherOrderOfColumnsIsTheSameTable) {
  ASSERT_EQ(stream(log_rows(0, 40), {"-t", "power", "-m", model_}).code, 0);
  write_text(folder_ / "other.csv", "power,ok,flow,extra,when,site\n61,yes,11,?," +
                                        table::stamp_text(1.7e9 + 3600.0 * 20) + ",north\n");
  const CommandResult result = run(folder_.path(), {"stream", folder_ / "other.csv", "-m", model_});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 learned, 0 rejected"));
}

TEST_F(CliTable, ALivePipeIsAnsweredAtOnce) {
  CommandProcess process(folder_.path(), {"stream", "-", "-t", "power", "--predictions", "-"});
  process.send("when,site,flow,ok,power\n" + log_row(0));
  EXPECT_TRUE(eventually_contains(folder_ / "stdout", "\n1,"));
  process.send(log_row(1) + log_row(2).substr(0, 5));
  EXPECT_TRUE(eventually_contains(folder_ / "stdout", "\n2,"));
  process.send(log_row(2).substr(5));
  EXPECT_TRUE(eventually_contains(folder_ / "stdout", "\n3,"));
  process.end_input();
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(CliTable, NdjsonHasTheSameColumns) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += R"({"when":")" + table::stamp_text(1.7e9 + 3600.0 * i) + R"(","site":)" +
            (i % 2 == 0 ? R"("a")" : R"("b")") + R"(,"on":)" + (i % 3 == 0 ? "true" : "false") +
            (i % 4 == 0 ? "" : R"(,"x":)" + std::to_string(i)) + R"(,"y":)" +
            (i % 7 == 6 ? "null" : std::to_string(i)) + "}\n";
  }
  const CommandResult result = run(
      folder_.path(), {"stream", "-", "-t", "y", "-m", model_, "--inputs", "when,site,on"}, text);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("26 learned, 4 without a target only predicted, 0 rejected"));
  const CommandResult predicted =
      run(folder_.path(), {"predict", "-", "-m", model_, "--to", "ndjson"},
          R"({"when":"2023-11-16 00:00","site":"c","on":true})"
          "\n");
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_TRUE(json::parse(predicted.out)["mean"].is_number());
}

TEST_F(CliTable, AReportMapsTimesAndCategories) {
  ASSERT_EQ(stream(log_rows(0, 120), {"-t", "power", "-m", model_}).code, 0);
  const json data = testing::data_of_page(
      file_text(testing::report_of(folder_, model_, {"--inputs", "when,site"})));
  EXPECT_EQ(data["inputs"].size(), 4u);
  EXPECT_EQ(data["inputs"][1]["axis"], "category");
  const json& map = data["partition"]["maps"][0];
  EXPECT_EQ(map["inputs"], (json{0, 1}));
  EXPECT_THAT(map["x"][0].get<std::string>(), HasSubstr("2023-11-1"));
  EXPECT_EQ(map["y"].size(), 2u);
  EXPECT_EQ(map["outputs"][0]["mean"].size(), 2 * map["x"].size());
  EXPECT_EQ(data["partition"]["observations"]["inputs"]["1"][0].get<std::string>().size(), 5u);
  EXPECT_EQ(run(folder_.path(), {"report", "-m", model_, "-o", "-", "--inputs", "when,what"}).code,
            2);
}

// docs/tables.md: what its example prints is what the command prints.
TEST_F(CliTable, TheExampleInTheDocumentationIsTrue) {
  const std::string page = file_text(std::string(SPLITGP_SOURCE_DIR) + "/docs/tables.md");
  const auto block = [&page](const std::string& language) {
    const std::size_t begin = page.find("```" + language + "\n");
    EXPECT_NE(begin, std::string::npos) << language;
    const std::size_t start = page.find('\n', begin) + 1;
    return page.substr(start, page.find("```", start) - start);
  };
  write_text(folder_ / "log.csv", block("csv"));
  const CommandResult result =
      run(folder_.path(), {"stream", folder_ / "log.csv", "--target", "power"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with(block("text"))) << result.out;
}

}  // namespace
}  // namespace splitgp::cli_table_test
