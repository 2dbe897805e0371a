// What update and predict cost from C++: the other half of experiments/benchmarks/overhead.py,
// which passes the data in a file of float64 by rows: n, d, split_limit, then n·d inputs, then n
// outputs. Prints lines "name microseconds".

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <vector>

#include "splitgp/splitting_gp.h"

namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  double head[3];
  file.read(reinterpret_cast<char*>(head), sizeof head);
  const auto n = static_cast<Eigen::Index>(head[0]);
  const auto d = static_cast<Eigen::Index>(head[1]);
  Eigen::MatrixXd X(d, n);
  Eigen::MatrixXd Y(1, n);
  file.read(reinterpret_cast<char*>(X.data()), static_cast<std::streamsize>(8 * X.size()));
  file.read(reinterpret_cast<char*>(Y.data()), static_cast<std::streamsize>(8 * Y.size()));
  if (!file) return 1;

  splitgp::Options options;
  options.split_limit = static_cast<int>(head[2]);
  options.training = splitgp::Training::off;
  options.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(d, 2.0);
  splitgp::SplittingGp gp(d, 1, options);

  std::vector<double> update;
  std::vector<double> predict;
  const Eigen::Index measured = n / 2;  // the first half fills the local GPs
  for (Eigen::Index i = 0; i < n; ++i) {
    const Clock::time_point start = Clock::now();
    gp.update(X.col(i), Y.col(i));
    if (i >= measured) update.push_back(microseconds_since(start));
  }
  for (Eigen::Index i = 0; i < measured; ++i) {
    const Clock::time_point start = Clock::now();
    const splitgp::Prediction p = gp.predict(X.col(i));
    predict.push_back(microseconds_since(start));
  }
  std::vector<double> batch;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::clock_t start =
        std::clock();  // it is long, so wall time would measure its neighbours
    const splitgp::Prediction p = gp.predict(X.leftCols(10000));
    batch.push_back(1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::printf("update %.3f\npredict %.3f\nbatch %.3f\n", median(update), median(predict),
              *std::min_element(batch.begin(), batch.end()));
}
