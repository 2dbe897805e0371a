#include "cli/demo/demo.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <random>

#include "cli/exit_code.h"
#include "cli/scores/score_table.h"
#include "cli/scores/scores.h"
#include "cli/stop_signal.h"
#include "splitgp/splitting_gp.h"

namespace splitgp {
namespace {

double f(const Eigen::Vector2d& x) { return 5.0 * std::sin(x.squaredNorm()) + 3.0 * x(0); }
// f has its maximum on [-1, 1]² at x1 = 1, x1² + x2² = π/2, where it is 5 + 3.
constexpr double kNoise = 0.05 * 8.0;

// The same numbers on every machine, which the standard distributions do not guarantee.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  Eigen::Vector2d place() {
    const double x1 = 2.0 * uniform() - 1.0;
    return {x1, 2.0 * uniform() - 1.0};
  }

 private:
  std::mt19937_64 engine_;
};

// The error against the function itself, on a grid.
double error_without_noise(const SplittingGp& model) {
  constexpr int kSide = 40;
  Eigen::MatrixXd grid(2, kSide * kSide);
  Eigen::VectorXd truth(kSide * kSide);
  for (int i = 0; i < kSide * kSide; ++i) {
    grid.col(i) << -1.0 + 2.0 * (i % kSide + 0.5) / kSide, -1.0 + 2.0 * (i / kSide + 0.5) / kSide;
    truth(i) = f(grid.col(i));
  }
  const Eigen::VectorXd error = model.predict(grid).mean.row(0).transpose() - truth;
  return std::sqrt(error.squaredNorm() / static_cast<double>(error.size()));
}

}  // namespace

int run_demo(const DemoFlags& flags) {
  using Clock = std::chrono::steady_clock;
  fmt::print(
      "f(x) = 5 sin(x1² + x2²) + 3 x1 on [-1, 1]², noise sd {:.1f}: each row is predicted,\n"
      "then learned.\n\n",
      kNoise);
  const StopSignal stop;
  Noise noise(flags.seed);
  SplittingGp model(2, 1);
  Scores scores(1);
  ScoreTable table(stdout, false);
  const Clock::time_point start = Clock::now();
  Clock::time_point last_line = start;
  std::uint64_t last_rows = 0;
  for (std::uint64_t i = 0; i < flags.rows && stop.received() == 0; ++i) {
    const Eigen::Vector2d x = noise.place();
    ScoredRow row;
    row.observed = Eigen::VectorXd::Constant(1, f(x) + kNoise * noise.normal());
    const Prediction prediction = model.predict(x);
    row.set_prediction(prediction);
    row.interval_known = !model.training_history().empty();
    model.update(x, row.observed);
    scores.add(row, model.n_local());
    if (!scores.at_power_of_two() && i + 1 != flags.rows) continue;
    ScoreLine line = scores.line(model.n_local());
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last_line).count();
    if (line.rows > 16) line.rows_per_second = static_cast<double>(line.rows - last_rows) / seconds;
    last_line = now;
    last_rows = line.rows;
    table.print(line);
  }
  if (stop.received() != 0) return kInterrupted + stop.received();

  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const Hyperparameters& theta = model.hyperparameters();
  fmt::print(
      "\nCompared with f itself, the RMSE is {:.3f}: the noise, sd {:.1f}, has averaged out.\n"
      "It estimated the noise sd as {:.3f} and chose the kernel {} with length scales {:.2f} and "
      "{:.2f}.\n"
      "{} in {:.1f} s; no local GP holds more than {} of them.\n\n",
      error_without_noise(model), kNoise, theta.output_scale(0) * std::sqrt(theta.noise_variance),
      to_string(theta.kernel), theta.length_scale(0), theta.length_scale(1),
      counted(scores.rows(), "row"), seconds, model.options().split_limit + 1);
  fmt::print(
      "Next, your own data:\n"
      "  splitgp stream data.csv --target COLUMN --model my.splitgp\n"
      "  splitgp predict --model my.splitgp new.csv\n"
      "  splitgp inspect --model my.splitgp\n"
      "  splitgp report --model my.splitgp -o report.html\n"
      "  splitgp stream --help\n");
  return kSuccess;
}

}  // namespace splitgp
