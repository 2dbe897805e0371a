#include <splitgp/instruction_set.h>
#include <splitgp/rivals.h>

#include <cmath>
#include <cstdio>

// Enough to need the rivals' library; the exit code says whether it works with the rest.
int main() {
  splitgp::rivals::FullGp model(/*inputs=*/1, /*outputs=*/1);
  Eigen::VectorXd x(1), y(1);
  for (int t = 0; t < 50; ++t) {
    x << 0.1 * t;
    y << std::sin(x(0));
    model.update(x, y);
  }
  x << 2.05;
  const double error = std::abs(model.predict(x).mean(0, 0) - std::sin(2.05));
  std::printf("installed splitgp::rivals (%s): error %.2g\n", splitgp::instruction_set().c_str(),
              error);
  return error < 0.1 ? 0 : 1;
}
