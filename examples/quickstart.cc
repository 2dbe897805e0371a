#include <splitgp/splitting_gp.h>

#include <cmath>
#include <cstdio>
#include <random>

int main() {
  splitgp::Options options;
  options.capacity = 200;  // the most observations a local GP conditions on: what an answer costs
  splitgp::SplittingGp model(/*inputs=*/2, /*outputs=*/1, options);

  std::mt19937 random(1);
  std::normal_distribution<double> noise(0.0, 0.1);
  Eigen::VectorXd x(2), y(1);
  for (int t = 0; t < 1000; ++t) {  // observations arrive one at a time
    x << std::sin(0.1 * t), std::cos(0.07 * t);
    y << x(0) * x(1) + noise(random);
    model.update(x, y);
  }

  x << 0.5, -0.5;
  splitgp::Prediction p = model.predict(x);  // a matrix predicts at each of its columns
  std::printf("%.3f ± %.3f, truth -0.250\n", p.mean(0, 0), 2 * std::sqrt(p.variance(0, 0)));
}
