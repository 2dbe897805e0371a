// A control loop: update and prediction with gradient in every step, for a reserved model. Prints
// how long the slowest steps take in multiples of the median, what they do by count, and how often
// the loop met a page fault or was switched out, with and without training beside it.
//
//   build/release/bench/control_loop [--steps 1000000] [--capacity 100] [--capacity 250] [--rate 0]
//
// The model has 21 inputs and 7 outputs, an arm's positions, speeds, accelerations and torques; the
// load it carries changes now and then, so that there is something to forget and to train for.
// Times are the thread's processor time; wall time is printed beside it, and on a machine that does
// other work it tells more about that. --rate 1000 runs at 1 kHz in real time, sleeping in between;
// otherwise one step follows the other. --plain leaves the model as it is, for comparison.

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "splitgp/instruction_set.h"
#include "splitgp/splitting_gp.h"

namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index kJoints = 7;
constexpr Index kAfterTraining = 500;  // steps that count as right after a training

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seven joints that swing at incommensurable rates, and torques that a rigid body might need.
class Arm {
 public:
  void step(Index t, VectorXd& x, VectorXd& y) {
    const double time = 0.001 * static_cast<double>(t);
    const double load = 1.0 + 0.5 * static_cast<double>(t / 150'000 % 3);
    for (Index j = 0; j < kJoints; ++j) {
      const double rate = 0.7 + 0.31 * static_cast<double>(j);
      const double slow = 0.013 * (1.0 + 0.1 * static_cast<double>(j));
      const double reach = 0.8 + 0.3 * std::sin(slow * time);
      x(j) = reach * std::sin(rate * time + static_cast<double>(j));
      x(kJoints + j) = reach * rate * std::cos(rate * time + static_cast<double>(j));
      x(2 * kJoints + j) = -rate * rate * x(j);
    }
    for (Index j = 0; j < kJoints; ++j) {
      const Index next = (j + 1) % kJoints;
      y(j) = load * std::sin(x(j) + 0.5 * x(next)) + (0.5 + 0.2 * load) * x(2 * kJoints + j) +
             0.3 * x(kJoints + j) * x(kJoints + next) + 0.2 * std::tanh(5.0 * x(kJoints + j)) +
             0.01 * noise_(random_);
    }
  }

 private:
  std::mt19937_64 random_{3};
  std::normal_distribution<double> noise_;
};

struct Choice {
  int capacity = 100;
  Index steps = 0;
  double rate = 0.0;
  bool training = false;
  bool reserved = true;
};

double percentile(const std::vector<float>& sorted, double share) {
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::ceil(share * last))];
}

void print_times(const char* what, std::vector<float>& times) {
  std::sort(times.begin(), times.end());
  const double median = percentile(times, 0.5);
  std::printf(" %s %.0f | %.2f | %.2f | %.2f | %.2f |", what, median,
              percentile(times, 0.99) / median, percentile(times, 0.999) / median,
              percentile(times, 0.99999) / median, times.back() / median);
}

// False if a step did more than the model promises.
bool run(const Choice& choice) {
  splitgp::Options options;
  options.capacity = choice.capacity;
  options.kernel = splitgp::KernelFamily::matern52;
  options.max_observations = 20 * choice.capacity;
  options.training = choice.training ? splitgp::Training::background : splitgp::Training::off;
  options.training_observations = 1000;
  if (!choice.training) {
    splitgp::Hyperparameters& theta = options.hyperparameters.emplace();
    theta.length_scale = VectorXd::Constant(3 * kJoints, 4.0);
    theta.noise_variance = 1e-3;
  }
  splitgp::SplittingGp model(3 * kJoints, kJoints, options);
  if (choice.reserved) model.bound_latency();

  Arm arm;
  VectorXd x(3 * kJoints), y(kJoints);
  splitgp::UpdateResult result;
  splitgp::PredictionGradient prediction;
  const auto n = static_cast<std::size_t>(choice.steps);
  std::vector<float> cpu(n), wall(n), after_training;
  after_training.reserve(n);
  Index since_training = kAfterTraining;
  std::vector<std::uint64_t> operations(n);
  arm.step(0, x, y);
  model.predict_gradient(x, prediction);
  model.update(x, y, result);

  double squared_error = 0.0;
  rusage before{}, after{};
  getrusage(RUSAGE_THREAD, &before);
  auto next = std::chrono::steady_clock::now();
  for (std::size_t t = 0; t < n; ++t) {
    arm.step(static_cast<Index>(t) + 1, x, y);
    const double wall_began = seconds(CLOCK_MONOTONIC);
    const double cpu_began = seconds(CLOCK_THREAD_CPUTIME_ID);
    model.predict_gradient(x, prediction);
    model.update(x, y, result);
    cpu[t] = static_cast<float>(1e6 * (seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_began));
    wall[t] = static_cast<float>(1e6 * (seconds(CLOCK_MONOTONIC) - wall_began));
    operations[t] = result.record.operations;
    if (result.trained) since_training = 0;
    if (since_training++ < kAfterTraining) after_training.push_back(cpu[t]);
    if (t >= n / 2) squared_error += (prediction.mean.col(0) - y).squaredNorm();
    if (choice.rate > 0.0) {
      next += std::chrono::nanoseconds(static_cast<long>(1e9 / choice.rate));
      std::this_thread::sleep_until(next);
    }
  }
  getrusage(RUSAGE_THREAD, &after);

  std::sort(operations.begin(), operations.end());
  const double median_operations = static_cast<double>(operations[n / 2]);
  std::printf("| %d | %s |", choice.capacity, choice.training ? "beside it" : "none");
  print_times("", cpu);
  std::sort(after_training.begin(), after_training.end());
  if (after_training.empty()) {
    std::printf(" – |");
  } else {
    std::printf(" %.2f |", percentile(after_training, 0.999) / percentile(cpu, 0.5));
  }
  print_times("", wall);
  std::printf(" %.0f | %.2f | %.2f | %ld + %ld | %ld + %ld | %zu | %.3f | %.0f MB |\n",
              1e-3 * median_operations, static_cast<double>(operations.back()) / median_operations,
              static_cast<double>(model.most_operations()) / median_operations,
              after.ru_minflt - before.ru_minflt, after.ru_majflt - before.ru_majflt,
              after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw,
              model.training_history().size(),
              std::sqrt(squared_error / static_cast<double>((n - n / 2) * kJoints)),
              1e-6 * static_cast<double>(model.memory_bytes()));
  std::fflush(stdout);
  return !choice.reserved || operations.back() <= model.most_operations();
}

}  // namespace

int main(int count, char** arguments) {
  Choice choice;
  choice.steps = 1'000'000;
  std::vector<int> capacities;
  bool with = true, without = true;
  for (int i = 1; i < count; ++i) {
    const std::string flag = arguments[i];
    const auto value = [&]() -> const char* {
      if (i + 1 < count) return arguments[++i];
      std::fprintf(stderr, "control_loop: %s needs a value\n", flag.c_str());
      std::exit(2);
    };
    if (flag == "--steps") {
      choice.steps = std::atol(value());
    } else if (flag == "--capacity") {
      capacities.push_back(std::atoi(value()));
    } else if (flag == "--rate") {
      choice.rate = std::atof(value());
    } else if (flag == "--plain") {
      choice.reserved = false;
    } else if (flag == "--training") {
      const std::string which = value();
      with = which != "off";
      without = which != "background";
    } else {
      std::fprintf(stderr, "control_loop: %s is not known; see the top of bench/control_loop.cc\n",
                   flag.c_str());
      return 2;
    }
  }
  if (choice.steps < 1000) {
    std::fprintf(stderr, "control_loop: --steps must be at least 1000\n");
    return 2;
  }
  if (capacities.empty()) capacities = {100, 250};
  // As a control program does: the pages of its code stay too.
  if (mlockall(MCL_CURRENT) != 0) std::printf("(pages could not be locked)\n");
  std::printf("%ld steps, %s, %s%s\n\n", static_cast<long>(choice.steps),
              std::string(splitgp::instruction_set()).c_str(),
              choice.reserved ? "reserved" : "not reserved",
              choice.rate > 0.0 ? ", in real time" : "");
  std::printf(
      "| capacity | training | processor time, median (µs) | 99 %% | 99.9 %% | 99.999 %% | largest "
      "| 99.9 %% right after a training | wall time, median (µs) | 99 %% | 99.9 %% | 99.999 %% | "
      "largest "
      "| operations of an update, median (thousands) | largest | bound "
      "| page faults, minor + major | switches, voluntary + not | trainings | RMSE | memory |\n");
  std::printf(
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool kept = true;
  for (const int capacity : capacities) {
    choice.capacity = capacity;
    for (const bool training : {false, true}) {
      if (training ? !with : !without) continue;
      choice.training = training;
      kept = run(choice) && kept;
    }
  }
  if (!kept) std::fprintf(stderr, "control_loop: a step did more than the model promises\n");
  return kept ? 0 : 1;
}
