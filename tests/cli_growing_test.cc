// A recipe that was found from few rows grows with those that follow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/command.h"
#include "support/temporary_directory.h"

namespace splitgp::cli_growing_test {

using testing::CommandProcess;
using testing::CommandResult;
using testing::eventually_contains;
using testing::file_text;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run;
using testing::TemporaryDirectory;
using testing::write_text;

constexpr const char* kHeader = "time,site,load,flow,power\n";

// Hourly rows, from 2024-01-01 on. A name for the site, a load that is a number at first.
std::string row(int i, int words_from = 0) {
  const int day = i / 24;
  const int month = 1 + day / 28;
  const std::string stamp = std::to_string(10000 + 2024).substr(1) + "-" +
                            std::to_string(100 + month).substr(1) + "-" +
                            std::to_string(101 + day % 28).substr(1) + "T" +
                            std::to_string(100 + i % 24).substr(1) + ":00";
  const char* const sites[] = {"hall", "yard", "roof"};
  const std::string load = i < words_from ? std::to_string(i % 5) : i % 2 == 0 ? "heavy" : "none";
  const double flow = std::sin(0.7 * i) + 0.01 * (i % 7);
  const double power = 3.0 * std::sin(2.0 * 3.14159265 * (i % 24) / 24.0) + flow + (i % 3);
  return stamp + "," + sites[i % 3] + "," + load + "," + std::to_string(flow) + "," +
         std::to_string(power) + "\n";
}

std::string rows(int first, int end, int words_from = 0) {
  std::string text;
  for (int i = first; i < end; ++i) text += row(i, words_from);
  return text;
}

const std::vector<std::string> kFlags{"--target",       "power", "--training", "off",
                                      "--length-scale", "2",     "--capacity", "30"};

class GrowingRecipe : public ::testing::Test {
 protected:
  std::vector<std::string> stream(const std::vector<std::string>& inputs, const std::string& model,
                                  const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"stream"};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    arguments.insert(arguments.end(), {"--model", (directory_ / model).string()});
    arguments.insert(arguments.end(), kFlags.begin(), kFlags.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string answers(const std::string& model) const {
    const CommandResult predicted =
        run(directory_.path(), {"predict", path("queries.csv"), "--model", path(model)});
    EXPECT_EQ(predicted.code, 0) << predicted.err;
    return predicted.out;
  }
  // Factors that were built again have other last digits.
  void expect_same_answers(const std::string& model, const std::string& other,
                           const std::string& message) const {
    std::istringstream ours(answers(model)), theirs(answers(other));
    std::string a, b;
    while (std::getline(ours, a, ',')) {
      ASSERT_TRUE(std::getline(theirs, b, ',')) << message;
      char* end = nullptr;
      const double number = std::strtod(a.c_str(), &end);
      if (end == a.c_str()) {
        EXPECT_EQ(a, b) << message;
      } else {
        EXPECT_NEAR(number, std::strtod(b.c_str(), nullptr), 1e-9 * (1.0 + std::abs(number)))
            << message;
      }
    }
    EXPECT_FALSE(std::getline(theirs, b, ',')) << message;
  }
  void SetUp() override { write_text(path("queries.csv"), kHeader + rows(1300, 1340)); }

  TemporaryDirectory directory_;
};

// What a sensor sends row by row is understood as a file with the same rows is, to the bit.
TEST_F(GrowingRecipe, ALivePipeEndsWithTheModelOfAFile) {
  constexpr int kRows = 1100;
  write_text(path("all.csv"), kHeader + rows(0, kRows));
  ASSERT_EQ(run(directory_.path(), stream({path("all.csv")}, "file.splitgp")).code, 0);
  const std::string expected = answers("file.splitgp");

  CommandProcess pipe(directory_.path(), stream({"-"}, "pipe.splitgp"));
  pipe.send(kHeader + row(0));
  ASSERT_TRUE(eventually_contains(path("stdout"), "Columns, as found in the first row;"));
  EXPECT_THAT(pipe.out(), Not(HasSubstr("the position in day")));
  for (int i = 1; i < kRows; i += 50) pipe.send(rows(i, std::min(i + 50, kRows)));
  pipe.end_input();
  ASSERT_EQ(pipe.wait(), 0) << pipe.err();
  EXPECT_THAT(pipe.out(), HasSubstr("the position in day, week"));
  EXPECT_THAT(pipe.out(), HasSubstr("learned, 0 rejected"));
  EXPECT_EQ(answers("pipe.splitgp"), expected);
}

// Text in a column that had a number in the first row was rejected, and never taken.
TEST_F(GrowingRecipe, ANumberMayTurnOutToBeACategory) {
  CommandProcess pipe(directory_.path(), stream({"-"}, "m.splitgp"));
  pipe.send(kHeader + row(0, 1));
  ASSERT_TRUE(eventually_contains(path("stdout"), "Columns, as found in the first row;"));
  pipe.send(rows(1, 40, 1));
  pipe.end_input();
  ASSERT_EQ(pipe.wait(), 0) << pipe.err();
  EXPECT_THAT(pipe.out(), HasSubstr("load      category"));
  // Those before a majority of words was seen; they stay rejected.
  EXPECT_THAT(pipe.out(), HasSubstr("read 40 rows: 37 learned, 3 rejected"));
}

// A short file, then a long one; stopped after any number of rows, killed or not.
TEST_F(GrowingRecipe, AStreamThatWasStoppedGrowsAsIfItHadNot) {
  write_text(path("short.csv"), kHeader + rows(0, 5));
  write_text(path("long.csv"), kHeader + rows(5, 400));
  const std::vector<std::string> inputs{path("short.csv"), path("long.csv")};
  const CommandResult whole = run(directory_.path(), stream(inputs, "whole.splitgp"));
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("the position in day, week"));
  for (const char* rows_a_run : {"1", "7", "16", "100"}) {
    const std::string model = std::string("stopped") + rows_a_run + ".splitgp";
    // The rows of the first runs are where it grows most.
    for (int i = 0; i < 6; ++i) {
      const CommandResult part =
          run(directory_.path(), stream(inputs, model, {"--limit", rows_a_run}));
      ASSERT_EQ(part.code, 0) << part.err;
    }
    ASSERT_EQ(run(directory_.path(), stream(inputs, model)).code, 0);
    expect_same_answers(model, "whole.splitgp", std::string(rows_a_run) + " rows a run");
  }
  for (const int milliseconds : {5, 15, 30, 50, 80}) {
    CommandProcess victim(directory_.path(), stream(inputs, "killed.splitgp",
                                                    {"--batch", "3", "--commit-every", "0.01"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    victim.signal(SIGKILL);
    victim.wait();
  }
  ASSERT_EQ(run(directory_.path(), stream(inputs, "killed.splitgp")).code, 0);
  expect_same_answers("killed.splitgp", "whole.splitgp", "killed");
}

// The same flags are needed to find the same recipe again: without them it stays as it is.
TEST_F(GrowingRecipe, OtherFlagsLeaveTheRecipeAsItIs) {
  write_text(path("short.csv"), kHeader + rows(0, 5));
  write_text(path("long.csv"), kHeader + rows(5, 100));
  ASSERT_EQ(run(directory_.path(), stream({path("short.csv")}, "m.splitgp")).code, 0);
  const CommandResult more =
      run(directory_.path(), {"stream", path("long.csv"), "--model", path("m.splitgp")});
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_THAT(more.out, Not(HasSubstr("Columns")));
  EXPECT_THAT(more.out, HasSubstr("read 95 rows: 95 learned"));
}

// Rows are kept as texts while the recipe may grow, and what is forgotten must not stay there.
TEST_F(GrowingRecipe, WhatIsForgottenIsGoneFromTheFirstRowsToo) {
  write_text(path("a.csv"), "a,y\n1.5,1\n2.50001234,2\n3.5,1\n4.5,3\n");
  const std::vector<std::string> flags{"stream", path("a.csv"), "--target",
                                       "y",      "--model",     path("m.splitgp")};
  ASSERT_EQ(run(directory_.path(), flags).code, 0);
  EXPECT_THAT(file_text(path("m.splitgp")), HasSubstr("2.50001234"));
  const CommandResult forgot =
      run(directory_.path(), {"forget", "--model", path("m.splitgp"), "--rows", "2"});
  ASSERT_EQ(forgot.code, 0) << forgot.err;
  EXPECT_THAT(file_text(path("m.splitgp")), Not(HasSubstr("2.50001234")));
  EXPECT_EQ(run(directory_.path(), flags).code, 0);
}

}  // namespace splitgp::cli_growing_test
