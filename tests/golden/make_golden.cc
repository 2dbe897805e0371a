// Wrote model_v5.splitgp and model_v5.csv, once, and before that those of versions 1 to 4. A
// golden file is never written again: a new format version gets a new one beside it. See README.md.
//
//   cmake --build BUILD --target make_golden && BUILD/tests/make_golden NEW_DIRECTORY

#include <cstdio>

#include "splitgp/model_file.h"
#include "support/golden.h"

int main(int argc, char** argv) {
  namespace golden = splitgp::testing::golden;
  if (argc != 2) return 2;
  const std::filesystem::path directory = argv[1];
  const std::filesystem::path path = directory / "model_v5.splitgp";

  splitgp::Options options;
  options.split_limit = 12;
  options.training_observations = 80;
  splitgp::SplittingGp model(2, 2, options);
  for (Eigen::Index i = 0; i < golden::kAtStart; ++i) {
    model.update(golden::x(i), golden::y(i), golden::noise_variance(i));
  }
  splitgp::ModelFileOptions file_options;
  file_options.input_names = {"first", "second"};
  file_options.output_names = {"curve", "product"};
  splitgp::ModelFile file = splitgp::ModelFile::create(path, model, file_options);
  for (Eigen::Index i = golden::kAtStart; i < golden::kObservations; ++i) {
    file.model().update(golden::x(i), golden::y(i), golden::noise_variance(i));
    if (i % 7 == 0) file.checkpoint({{"source.csv", static_cast<std::uint64_t>(i + 1)}});
  }
  file.model().forget(golden::kForgotten);
  // Some local GPs stay behind the last θ.
  splitgp::Hyperparameters theta = file.model().hyperparameters();
  theta.noise_variance *= 1.5;
  file.model().set_hyperparameters(theta);
  file.model().refit(3);
  file.set_note("made by", "tests/golden/make_golden.cc");
  file.checkpoint({{"source.csv", golden::kObservations}});

  std::FILE* csv = std::fopen((directory / "model_v5.csv").c_str(), "w");
  if (csv == nullptr) return 1;
  std::fprintf(csv, "mean0,mean1,variance0,variance1\n");
  const splitgp::Prediction p = file.model().predict(golden::queries());
  for (Eigen::Index i = 0; i < golden::kQueries; ++i) {
    std::fprintf(csv, "%.17g,%.17g,%.17g,%.17g\n", p.mean(0, i), p.mean(1, i), p.variance(0, i),
                 p.variance(1, i));
  }
  return std::fclose(csv);
}
