#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include "core/api/internals.h"
#include "splitgp/model_file.h"
#include "support/golden.h"
#include "support/invariants.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

namespace golden = testing::golden;

// Lines of numbers after a header.
Eigen::MatrixXd read_csv(const std::filesystem::path& path, Eigen::Index rows,
                         Eigen::Index columns) {
  Eigen::MatrixXd result(rows, columns);
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (!std::getline(file, line)) throw std::runtime_error("too few lines");
    const char* at = line.data();
    for (Eigen::Index j = 0; j < columns; ++j) {
      at = std::from_chars(at, line.data() + line.size(), result(i, j)).ptr + 1;
    }
  }
  return result;
}

class ModelFileGolden : public ::testing::TestWithParam<int> {};

TEST_P(ModelFileGolden, LoadsAnswersAndGoesOn) {
  const std::string name = "model_v" + std::to_string(GetParam());
  const testing::TemporaryDirectory directory;
  const std::filesystem::path path = directory / "model.splitgp";
  std::filesystem::copy_file(golden::directory() / (name + ".splitgp"), path);
  ModelFile file = ModelFile::open(path);
  const SplittingGp& model = file.model();

  EXPECT_EQ(model.n_inputs(), 2);
  EXPECT_EQ(model.n_outputs(), 2);
  const std::uint64_t forgotten = GetParam() < 3 ? 0 : golden::kForgotten.size();
  EXPECT_EQ(model.n_seen(), static_cast<std::uint64_t>(golden::kObservations));
  EXPECT_EQ(model.n_observations(), model.n_seen() - forgotten);
  EXPECT_EQ(model.options().split_limit, 12);
  EXPECT_EQ(model.options().training_observations, 80);
  // What format 1 did not know, its models did not do.
  EXPECT_EQ(model.options().capacity, GetParam() == 1 ? 12 : 48);
  EXPECT_EQ(model.options().neighbors, GetParam() == 1 ? 8 : 3);
  EXPECT_EQ(model.options().calibration,
            GetParam() == 1 ? Calibration::none : Calibration::adaptive);
  EXPECT_EQ(model.options().experts, GetParam() >= 5);
  EXPECT_EQ(model.options().surprise, GetParam() != 1);
  EXPECT_EQ(model.options().trend, GetParam() == 1 ? Trend::none : Trend::automatic);
  EXPECT_EQ(model.n_local(), std::ssize(model.split_history()) + 1);
  EXPECT_GE(model.training_history().size(), 3u);
  EXPECT_EQ(testing::Invariants::violated(model), "");
  EXPECT_EQ(file.input_names(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(file.output_names(), (std::vector<std::string>{"curve", "product"}));
  EXPECT_EQ(file.note("made by"), "tests/golden/make_golden.cc");
  EXPECT_EQ(file.position("source.csv").rows, static_cast<std::uint64_t>(golden::kObservations));
  Eigen::Index behind = 0;
  for (const LocalGp& local : Internals::of(model).partition.local_gps) {
    for (Eigen::Index j = 0; j < local.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(local.sequence(j));
      EXPECT_EQ(local.inputs().row(j).transpose(), golden::x(i));
      EXPECT_EQ(local.outputs().row(j).transpose(), golden::y(i));
      EXPECT_EQ(local.noise_variance()(j), golden::noise_variance(i));
    }
    if (local.theta().version != model.theta_version()) ++behind;
  }
  EXPECT_EQ(behind, model.n_local() - 3);

  const Eigen::MatrixXd expected =
      read_csv(golden::directory() / (name + ".csv"), golden::kQueries, 4);
  const Prediction p = model.predict(golden::queries());
  for (Eigen::Index i = 0; i < golden::kQueries; ++i) {
    for (Eigen::Index o = 0; o < 2; ++o) {
      EXPECT_NEAR(p.mean(o, i), expected(i, o), 1e-9 * expected.col(o).cwiseAbs().maxCoeff());
      EXPECT_NEAR(p.variance(o, i), expected(i, 2 + o), 1e-9 * expected(i, 2 + o));
    }
  }

  for (Eigen::Index i = golden::kObservations; i < golden::kObservations + 20; ++i) {
    file.model().update(golden::x(i), golden::y(i));
  }
  file.checkpoint();
  EXPECT_EQ(load(path).model.n_observations(),
            static_cast<std::uint64_t>(golden::kObservations) + 20 - forgotten);
}

INSTANTIATE_TEST_SUITE_P(Versions, ModelFileGolden, ::testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace splitgp
