#include <splitgp/splitting_gp.h>

#include <cmath>
#include <cstdio>

// Enough to need the headers, the library and Eigen; the exit code says whether they fit together.
int main() {
  splitgp::Options options;
  options.split_limit = 10;
  splitgp::SplittingGp model(/*inputs=*/1, /*outputs=*/1, options);
  Eigen::VectorXd x(1), y(1);
  for (int t = 0; t < 50; ++t) {
    x << 0.1 * t;
    y << std::sin(x(0));
    model.update(x, y);
  }
  x << 2.05;
  const double error = std::abs(model.predict(x).mean(0, 0) - std::sin(2.05));
  std::printf("installed splitgp: error %.2g\n", error);
  return error < 0.1 ? 0 : 1;
}
