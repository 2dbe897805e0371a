// The beginning of each data set through the command, training included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.h"
#include "support/data.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run;

struct DataSet {
  const char* name;
  const char* target;
  double lowest_coverage;
};

class CliData : public ::testing::TestWithParam<DataSet> {};

TEST_P(CliData, StreamsEndToEnd) {
  const std::filesystem::path data =
      testing::data_folder() / (std::string(GetParam().name) + ".csv.gz");
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no data set at " << data;
  const testing::TemporaryDirectory folder;
  const std::string model = folder / "model.splitgp";
  const CommandResult result =
      run(folder.path(), {"stream", data, "-t", GetParam().target, "-m", model, "--limit", "4096",
                          "--training-observations", "500", "--split-limit", "100"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("read 4,096 rows: 4,096 learned, 0 rejected"));

  const CommandResult json = run(folder.path(), {"inspect", "-m", model, "--json"});
  const nlohmann::json inspected = nlohmann::json::parse(json.out);
  const nlohmann::json& line = inspected["stream"]["table"].back();
  EXPECT_EQ(line["rows"], 4096);
  const double spread = inspected["outputs"][0]["spread"];
  // Predicting the mean would give 1; these data are far from pure noise.
  EXPECT_LT(line["recent_rmse"].get<double>() / spread, 0.7);
  EXPECT_GT(line["coverage"].get<double>(), GetParam().lowest_coverage);
  EXPECT_THAT(run(folder.path(), {"inspect", "-m", model}).out, HasSubstr("relevance"));
}

// beijing_pm25 begins with two weeks of 12 stations and their first smog, unlike anything before
// it: the intervals are too narrow there (70 %) and right later (92 % after all rows, with default
// options).
INSTANTIATE_TEST_SUITE_P(All, CliData,
                         ::testing::Values(DataSet{"gas_turbine", "NOX", 0.8},
                                           DataSet{"metro_traffic", "traffic_volume", 0.8},
                                           DataSet{"pjme_hourly", "MW", 0.8},
                                           DataSet{"beijing_pm25", "PM25", 0.6}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace splitgp
