#include "core/model/bound_latency.h"

#include <algorithm>
#include <memory>
#include <string>

#include "core/base/bounded_history.h"
#include "core/model/merge.h"
#include "core/model/model_training.h"
#include "core/partition/waking.h"
#include "core/predict/predict.h"
#include "core/predict/predict_gradient.h"
#include "splitgp/error.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

void check(const ModelState& model) {
  const Options& options = model.options;
  const auto fail = [](const std::string& what) {
    throw InvalidArgument("bound_latency: " + what);
  };
  if (options.max_observations == 0 && options.window_size == 0)
    fail("max_observations and window_size are 0; one of them has to bound the model");
  if (options.training == Training::inlined)
    fail("training is inline; an update would wait for it. It must be background or off");
  if (options.max_age > 0.0)
    fail("max_age is " + std::to_string(options.max_age) + "; it must be 0");
  if (options.on_drift == OnDrift::forget)
    fail("on_drift is forget; an alarm would forget any number of observations at once");
  if (!options.comparison.inherit)
    fail("inherit is off; a split would factorise both halves at once");
  if (options.neighbors == 0) fail("neighbors is 0; all local GPs would be asked");
  if (options.comparison.principal_direction == PrincipalDirection::oja)
    fail("principal_direction is oja; it must be exact");
  if (options.comparison.aggregation == Aggregation::similarity && options.neighbors == 0)
    fail("aggregation is similarity over all local GPs");
  if (model.inputs > kMostInPlace) {
    fail("there are " + std::to_string(model.inputs) + " inputs; at most " +
         std::to_string(kMostInPlace) + " can be split without allocating");
  }
  if (model.partition.factor_cache_limit > 0)
    fail("factor_cache_limit is " + std::to_string(model.partition.factor_cache_limit) +
         "; it must be 0");
}

void reserve_partition(ModelState& model, Index count, Index points) {
  Partition& partition = model.partition;
  const Index most = Index{model.options.capacity} + 2;
  for (Index i = 0; i < partition.size(); ++i) wake(partition, i);
  partition.may_be_dormant = false;
  const LocalGp spare(model.inputs, model.outputs, model.knowledge.theta, model.options);
  partition.local_gps.reserve(static_cast<std::size_t>(count), spare);
  for (LocalGp& local : partition.local_gps.all()) local.reserve();
  partition.split_history.reserve(2 * kHistory);
  partition.know_holders();
  partition.holders.reserve(static_cast<std::size_t>(points));
  partition.centers.reserve(count);
  partition.workspace.reserve(most, 1).setZero();
  partition.split_workspace.reserve(Index{model.options.split_limit} + 1, model.inputs);
  partition.neighbors.reserve(16);
  partition.found.reserve(static_cast<std::size_t>(count));
  partition.dropped.reserve(1);
  partition.spare_leaving.reserve(static_cast<std::size_t>(model.options.split_limit) + 1);
  partition.given_x.setZero(model.inputs);
  partition.given_y.setZero(model.outputs);
}

std::unique_ptr<Renewal> reserved_renewal(const ModelState& model) {
  const Index most = Index{model.options.capacity} + 2;
  auto renewal = std::make_unique<Renewal>();
  renewal->theta = model.knowledge.theta;
  renewal->factor.reserve(most);
  renewal->factor.touch();
  renewal->solved.setZero(most, model.outputs);
  renewal->jittered.resize(static_cast<std::size_t>(most));
  renewal->x.setZero(model.inputs);
  return renewal;
}

}  // namespace

Index n_reserved(const Options& options) {
  const Index window = options.window_size > 0 ? options.window_size : options.max_observations;
  const Index budget = options.max_observations > 0 ? options.max_observations : window;
  const Index most = std::min(window, budget);
  return std::min(most, most / std::max<Index>(1, fewest_owned(options))) + 2;
}

void bound_latency(ModelState& model) {
  check(model);
  prepare_thread(model);
  if (bounds_latency(model)) return;
  const Index count = std::max(n_reserved(model.options), model.partition.size() + 2);
  const Index points = count * (Index{model.options.capacity} + 1);
  const Index window = std::max(model.options.window_size, model.options.max_observations);
  const auto capacity = static_cast<std::uint64_t>(model.options.capacity);
  reserve_partition(model, count, points);
  model.monitor.reserve(model.inputs, count);
  fill_with_prior(model, VectorXd::Zero(model.inputs), model.scored);
  model.knowledge.training_history.reserve(2 * kHistory);
  if (model.options.training == Training::background) {
    finish_training(model);
    model.trainer.reserve(model, count);
  }
  model.budget.operations = capacity * capacity;
  // On average each is held by no more than this, since all points are.
  model.budget.holders = std::max<Index>(8, points / window + 1);
  model.partition.renewing.renewal = reserved_renewal(model);
}

std::uint64_t most_operations(const ModelState& model) {
  const Options& options = model.options;
  const Index m = Index{options.capacity} + 2;
  const Index d = model.inputs;
  const Index p = model.outputs;
  const Index q = std::min<Index>(options.neighbors, Borrowings::kMost);
  const Index rows = m + std::max<Index>(2, m / 24) + 4;  // of a factor with its gaps
  const Index solve = rows * rows / 2 + m * d;
  const Index append = solve + m;
  const Index remove = 5 * rows * rows / 2 + 4 * rows * p + m * d;
  const Index owned = Index{options.split_limit} + 1;
  const Index split = rows * rows / 2 + 8 * rows + owned * d * d / 2 + 9 * d * d * d;
  // The owner, and those that it is offered to; now and then a prediction; which one gives way.
  Index sum = (1 + q) * (append + remove) + options.neighbors * solve + 7 * solve + split;
  // Whoever holds what is forgotten; in steps, a merge, a renewal, which loses points too, and what
  // a training copies; an alarm, which looks at all inputs.
  sum += model.budget.holders * remove + (append + 2 * remove);
  sum += static_cast<Index>(model.budget.operations) + append + 4 * remove;
  sum += m * (d + p + 2);
  if (model.monitor.experts) sum += model.monitor.experts->most_operations();
  sum += std::max<Index>(options.window_size, options.max_observations) * d;
  return static_cast<std::uint64_t>(sum);
}

}  // namespace splitgp
