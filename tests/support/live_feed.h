#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "serve/live/feed.h"
#include "support/random_matrix.h"

namespace splitgp::testing {

/// A feed with a model behind it, taught as the service teaches it.
class Fed {
 public:
  explicit Fed(Eigen::Index inputs = 2)
      : file(ModelFile::in_memory(SplittingGp(inputs, 1, options()), {})),
        recipe(table::Recipe::plain(names(inputs), {"y"}, '.')),
        feed({"m", "0"}, [this](const std::function<void(const serve::ModelView&)>& use) {
          const std::shared_lock lock(mutex);
          ++reads;
          use({file.model(), recipe});
          return true;
        }) {
    feed.began(file);
  }

  void learn(int rows) {
    for (int i = 0; i < rows; ++i) {
      Eigen::VectorXd x(file.model().n_inputs());
      for (double& value : x) value = random.uniform(-1.0, 1.0);
      Eigen::VectorXd y(1);
      y << std::sin(3.0 * x(0)) + 0.1 * random.normal();
      const std::unique_lock lock(mutex);
      Prediction before;
      const UpdateResult update = file.model().predict_then_update(x, y, before);
      const Interval interval = before.interval(0.95);
      const double sd = std::sqrt(before.variance(0, 0) + before.noise_variance(0, 0));
      const double z = update.innovation[0].z;
      serve::LearnedRow row;
      row.sequence = update.sequence;
      row.x = {x.data(), static_cast<std::size_t>(x.size())};
      row.y = {y.data(), 1};
      row.mean = {before.mean.data(), 1};
      row.sd = {&sd, 1};
      row.lower = {interval.lower.data(), 1};
      row.upper = {interval.upper.data(), 1};
      row.z = {&z, 1};
      row.local_gps = file.model().n_local();
      row.alarms = update.alarms;
      row.time = 1000.0 + 0.01 * static_cast<double>(update.sequence);
      feed.learned(row);
    }
  }

  static Options options() {
    Options options;
    options.split_limit = 20;
    options.capacity = 40;
    options.training = Training::off;
    return options;
  }
  static std::vector<std::string> names(Eigen::Index inputs) {
    std::vector<std::string> result;
    for (Eigen::Index k = 0; k < inputs; ++k) result.push_back("x" + std::to_string(k));
    return result;
  }

  Random random{7};
  std::shared_mutex mutex;
  ModelFile file;
  table::Recipe recipe;
  std::atomic<int> reads = 0;
  serve::LiveFeed feed;
};

}  // namespace splitgp::testing
