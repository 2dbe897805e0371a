#include <splitgp/model_file.h>
#include <splitgp/splitting_gp.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

// A user's program. It moves everything that owns memory across the library's boundary, in both
// directions, so that a disagreement about allocation would crash it. ./test builds it with Eigen
// settings other than the library's.
int main(int, char** argv) {
  splitgp::Options options;
  options.split_limit = 10;
  options.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(1, 0.7);
  splitgp::SplittingGp model(/*inputs=*/1, /*outputs=*/1, options);
  Eigen::VectorXd x(1), y(1);
  for (int t = 0; t < 200; ++t) {
    x << 0.025 * t;
    y << std::sin(x(0));
    model.update(x, y);
  }
  x << 2.05;
  splitgp::Prediction prediction = model.predict(x);
  double error = std::abs(prediction.mean(0, 0) - std::sin(2.05));

  // Created here and grown there, created there and freed here.
  const Eigen::MatrixXd many = Eigen::RowVectorXd::LinSpaced(1000, 0.0, 5.0);
  model.predict(many, prediction);
  const Eigen::MatrixXd difference = prediction.mean - many.array().sin().matrix();
  error = std::max(error, difference.cwiseAbs().maxCoeff());
  prediction = model.predict(x);
  splitgp::Hyperparameters theta = model.hyperparameters();
  theta.length_scale = 2.0 * theta.length_scale;
  model.set_hyperparameters(theta);
  const splitgp::Explanation explanation = model.explain(x);
  error = std::max(error, std::abs(explanation.mean(0) - std::sin(2.05)));
  const splitgp::Observations observations = model.observations();
  if (observations.inputs.cols() != 200 || model.points(0).inputs.cols() < 1) return 2;
  for (const splitgp::TrainResult& training : model.training_history()) theta = training.theta;

  const std::filesystem::path path = std::string(argv[0]) + ".splitgp";
  std::filesystem::remove(path);
  splitgp::ModelFile::create(path, model).model().update(x, y);
  splitgp::LoadedModel loaded = splitgp::load(path);
  std::filesystem::remove(path);
  error = std::max(error, std::abs(loaded.model.predict(x).mean(0, 0) - std::sin(2.05)));
  try {
    model.update(many.col(0).replicate(2, 1), y);
    return 3;
  } catch (const splitgp::Error&) {
  }
  std::printf("installed splitgp: error %.2g\n", error);
  return error < 0.1 ? 0 : 1;
}
