// A control loop that learns while it runs: a pendulum follows a reference at 1,000 ticks per
// second. Each tick predicts the torque it needs and learns from what that torque did; θ is trained
// in the background, so no tick waits for it. Prints the wall time of the ticks, which a busy
// machine affects too, and how the error fell.

#include <splitgp/splitting_gp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTick = 0.001;  // seconds
constexpr int kTicks = 3000;

// What the model has to learn: gravity and friction.
struct Pendulum {
  double angle = 0.0;
  double velocity = 0.0;
  double acceleration = 0.0;

  void step(double torque) {
    acceleration = torque - 9.8 * std::sin(angle) - 2.0 * std::tanh(5.0 * velocity);
    velocity += kTick * acceleration;
    angle += kTick * velocity;
  }
};

struct Reference {
  double angle, velocity, acceleration;
};

Reference reference(double t) {
  return {std::sin(3.0 * t) + 0.5 * std::sin(7.0 * t),
          3.0 * std::cos(3.0 * t) + 3.5 * std::cos(7.0 * t),
          -9.0 * std::sin(3.0 * t) - 24.5 * std::sin(7.0 * t)};
}

void print_histogram(const std::vector<double>& sorted) {
  constexpr int kWidest = 50;
  std::printf("\n  microseconds      ticks\n");
  std::vector<long> counts;
  double edge = 8.0;
  for (auto from = sorted.begin(); from != sorted.end(); edge *= 2.0) {
    const auto to = std::lower_bound(from, sorted.end(), edge);
    counts.push_back(to - from);
    from = to;
  }
  const long most = *std::max_element(counts.begin(), counts.end());
  edge = 8.0;
  for (const long count : counts) {
    const auto length = static_cast<std::size_t>((count * kWidest + most - 1) / most);
    std::printf("  %6.0f to %6.0f %6ld  %s\n", edge > 8.0 ? edge / 2.0 : 0.0, edge, count,
                std::string(length, '#').c_str());
    edge *= 2.0;
  }
}

}  // namespace

int main() {
  splitgp::Options options;
  options.capacity = 100;           // bounds the time of a tick
  options.max_observations = 2000;  // bounds its memory, and how far back it remembers
  options.training = splitgp::Training::background;
  splitgp::SplittingGp model(/*inputs=*/3, /*outputs=*/1, options);
  model.bound_latency();  // nothing is allocated from here on, and no update does much more than
                          // others

  Pendulum pendulum;
  Eigen::VectorXd x(3), y(1);
  splitgp::Prediction needed;  // their memory is reused in every tick
  splitgp::UpdateResult learned;
  std::vector<double> microseconds;
  double squared_error[kTicks / 1000] = {};
  int late = 0;

  Clock::time_point next = Clock::now();
  for (int tick = 0; tick < kTicks; ++tick) {
    const Clock::time_point began = Clock::now();
    const Reference wanted = reference(kTick * tick);

    // The torque for the wanted acceleration, as learned so far, plus a correction.
    x << wanted.angle, wanted.velocity, wanted.acceleration;
    model.predict(x, needed);
    const double error = wanted.angle - pendulum.angle;
    const double torque =
        needed.mean(0) + 400.0 * error + 40.0 * (wanted.velocity - pendulum.velocity);

    x << pendulum.angle, pendulum.velocity, 0.0;
    pendulum.step(torque);
    x(2) = pendulum.acceleration;
    y << torque;
    model.update(x, y, learned);

    const std::chrono::duration<double, std::micro> took = Clock::now() - began;
    microseconds.push_back(took.count());
    squared_error[tick / 1000] += error * error / 1000.0;
    if (took.count() > 1e6 * kTick) ++late;
    next += std::chrono::microseconds(1000);
    std::this_thread::sleep_until(next);
  }

  std::printf("root mean squared error of the angle, second by second:");
  for (const double sum : squared_error) std::printf(" %.4f", std::sqrt(sum));
  std::sort(microseconds.begin(), microseconds.end());
  print_histogram(microseconds);
  const auto percentile = [&](double share) {
    return microseconds[static_cast<std::size_t>(share * (kTicks - 1))];
  };
  std::printf(
      "\n  median %.0f, 99 %% %.0f, 99.9 %% %.0f, slowest %.0f microseconds; %d of %d were too "
      "slow\n",
      percentile(0.5), percentile(0.99), percentile(0.999), percentile(1.0), late, kTicks);
  std::printf("  %lld local GPs, %zu trainings, none of which a tick waited for\n",
              static_cast<long long>(model.n_local()), model.training_history().size());
}
