// One pass over a stream that comes as text on standard input (rows, inputs and outputs first),
// each row predicted and then learned; then single predictions here and there. Writes what it cost
// and how good it was as one line of JSON.
// bench/compare_revisions compiles it against the library of each revision, so it uses only what
// they share and asks for the rest.
//
//   one_stream CAPACITY SEED < stream.txt

#include <splitgp/splitting_gp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <vector>

namespace {

using Eigen::Index;

constexpr Index kScoredFrom = 200;
constexpr Index kAfterTraining = 500;  // rows whose updates count as right after a training

double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Before there was borrowing, split_limit was the most observations of a local GP.
template <typename Options>
void set_capacity(Options& options, int capacity) {
  if constexpr (requires { options.capacity; }) {
    options.capacity = capacity;
  } else {
    options.split_limit = capacity;
  }
}

template <typename Prediction>
double log_density(const Prediction& prediction, const Eigen::VectorXd& y) {
  if constexpr (requires { prediction.log_density(0, 0, y(0)); }) {
    return prediction.log_density(0, 0, y(0));
  } else {
    const double variance = prediction.variance(0, 0) + prediction.noise_variance(0, 0);
    const double error = y(0) - prediction.mean(0, 0);
    return -0.5 * (std::log(2.0 * std::numbers::pi * variance) + error * error / variance);
  }
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// The mean time of a single prediction, at rows far from each other in the stream.
double prediction_seconds(const splitgp::SplittingGp& model, const Eigen::MatrixXd& X) {
  constexpr Index kPredictions = 2000, kStep = 7919;  // a prime, so that all rows have their turn
  double sum = 0.0;
  const auto predict = [&](Index i) {
    const Eigen::VectorXd x = X.col(i * kStep % X.cols());
    sum += model.predict(x).mean(0, 0);
  };
  for (Index i = 0; i < kPredictions; ++i) predict(i);  // refits nothing, but warms up
  const double start = process_seconds();
  for (Index i = 0; i < kPredictions; ++i) predict(i);
  const double seconds = process_seconds() - start;
  return std::isfinite(sum) ? seconds / static_cast<double>(kPredictions) : 0.0;
}

}  // namespace

int main(int count, char** words) {
  long rows = 0, inputs = 0;
  if (count != 3 || std::scanf("%ld %ld", &rows, &inputs) != 2) return 2;
  Eigen::MatrixXd X(inputs, rows), Y(1, rows);
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k <= inputs; ++k) {
      if (std::scanf("%lf", k < inputs ? &X(k, i) : &Y(0, i)) != 1) return 2;
    }
  }
  splitgp::Options options;
  if (const int capacity = std::atoi(words[1]); capacity > 0) set_capacity(options, capacity);
  options.seed = static_cast<decltype(options.seed)>(std::atoi(words[2]));

  const double began = process_seconds();
  double training = 0.0, scoring = 0.0, squares = 0.0, density = 0.0;
  Index since_training = kAfterTraining;
  std::vector<double> after_training, plain;
  splitgp::SplittingGp model(inputs, 1, options);
  splitgp::Prediction before;
  for (Index i = 0; i < rows; ++i) {
    const Eigen::VectorXd x = X.col(i), y = Y.col(i);
    const double start = process_seconds();
    const splitgp::UpdateResult result = model.predict_then_update(x, y, before);
    const double end = process_seconds();
    if (result.trained) {
      training += end - start;
      since_training = 0;
    } else {
      (since_training++ < kAfterTraining ? after_training : plain).push_back(end - start);
    }
    if (i >= kScoredFrom) {
      const double error = y(0) - before.mean(0, 0);
      squares += error * error;
      density += log_density(before, y);
    }
    scoring += process_seconds() - end;
  }
  const double whole = process_seconds() - began - scoring;
  const auto n = static_cast<double>(rows);
  const auto scored = static_cast<double>(rows - kScoredFrom);
  std::vector<double> all = plain;
  all.insert(all.end(), after_training.begin(), after_training.end());
  const auto bytes = static_cast<double>(model.memory_bytes());  // without what predictions keep
  int adopted = 0;
  for (const splitgp::TrainResult& result : model.training_history()) adopted += result.adopted;
  std::printf(
      "{\"row_us\": %.3f, \"train_us\": %.3f, \"rmse\": %.8g, \"nlpd\": %.6f, \"trainings\": %zu, "
      "\"adopted\": %d, \"median_us\": %.2f, \"p999_us\": %.2f, "
      "\"p999_after_training_us\": %.2f, \"memory_bytes\": %.1f, \"predict_us\": %.3f}\n",
      1e6 * whole / n, 1e6 * training / n, std::sqrt(squares / scored), -density / scored,
      model.training_history().size(), adopted, 1e6 * percentile(plain, 0.5),
      1e6 * percentile(all, 0.999), 1e6 * percentile(after_training, 0.999), bytes / n,
      1e6 * prediction_seconds(model, X));
}
