#include "core/model/reserve.h"

#include <algorithm>
#include <string>

#include "core/base/bounded_history.h"
#include "core/model/forget.h"
#include "core/model/loop_trainer.h"
#include "core/model/predict.h"
#include "core/model/predict_gradient.h"
#include "core/partition/holding.h"
#include "core/partition/refit.h"
#include "core/partition/waking.h"
#include "splitgp/error.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

void check(const ModelState& model) {
  const Options& options = model.options;
  const auto fail = [](const std::string& what) { throw InvalidArgument("reserve: " + what); };
  if (options.max_observations == 0 && options.window_size == 0)
    fail("max_observations and window_size are 0; one of them has to bound the model");
  if (options.training == Training::inlined)
    fail("training is inline; an update would wait for it. It must be background or off");
  if (options.max_age > 0.0)
    fail("max_age is " + std::to_string(options.max_age) + "; it must be 0");
  if (options.on_drift == OnDrift::forget)
    fail("on_drift is forget; an alarm would forget any number of observations at once");
  if (!options.inherit) fail("inherit is off; a split would factorise both halves at once");
  if (options.neighbors == 0) fail("neighbors is 0; all local GPs would be asked");
  if (options.principal_direction == PrincipalDirection::oja)
    fail("principal_direction is oja; it must be exact");
  if (options.aggregation == Aggregation::similarity && options.neighbors == 0)
    fail("aggregation is similarity over all local GPs");
  if (model.inputs > kMostInPlace) {
    fail("there are " + std::to_string(model.inputs) + " inputs; at most " +
         std::to_string(kMostInPlace) + " can be split without allocating");
  }
  if (model.partition.awake_limit > 0)
    fail("awake_limit is " + std::to_string(model.partition.awake_limit) + "; it must be 0");
}

void reserve_local_gps(ModelState& model, Index count) {
  Partition& partition = model.partition;
  for (Index i = 0; i < partition.size(); ++i) wake(partition, i);
  partition.may_be_dormant = false;
  const LocalGp spare(model.inputs, model.outputs, model.knowledge.theta, model.options);
  partition.local_gps.reserve(static_cast<std::size_t>(count), spare);
  for (LocalGp& local : partition.local_gps.all()) local.reserve();
}

void reserve_renewal(const ModelState& model, Renewal& renewal) {
  const Index most = Index{model.options.capacity} + 2;
  renewal.theta = model.knowledge.theta;
  renewal.factor.reserve(most);
  renewal.factor.touch();
  renewal.solved.setZero(most, model.outputs);
  renewal.jittered.resize(static_cast<std::size_t>(most));
  renewal.x.setZero(model.inputs);
}

void reserve_buffers(ModelState& model, Index count) {
  const Index most = Index{model.options.capacity} + 2;
  const Index owned = Index{model.options.split_limit} + 1;
  model.workspace.reserve(most, 1).setZero();
  model.neighbors.reserve(16);
  model.found.reserve(static_cast<std::size_t>(count));
  model.split_workspace.reserve(owned, model.inputs);
  model.given_x.setZero(model.inputs);
  model.given_y.setZero(model.outputs);
  fill_with_prior(model, VectorXd::Zero(model.inputs), model.scored);
  for (std::vector<Index>* cells : {&model.inside, &model.changed_cells, &model.silent})
    cells->reserve(static_cast<std::size_t>(count));
  model.alarms.reserve(model.inputs);
  model.partition.split_history.reserve(2 * kHistory);
  model.knowledge.training_history.reserve(2 * kHistory);
}

}  // namespace

Reserved::Reserved() = default;
Reserved::~Reserved() = default;

Index n_reserved(const Options& options) {
  const Index window = options.window_size > 0 ? options.window_size : options.max_observations;
  const Index budget = options.max_observations > 0 ? options.max_observations : window;
  const Index most = std::min(window, budget);
  return std::min(most, most / std::max<Index>(1, fewest_owned(options))) + 2;
}

void reserve(ModelState& model) {
  check(model);
  prepare_thread(model);
  if (model.reserved) return;
  const Index count = std::max(n_reserved(model.options), model.partition.size() + 2);
  auto reserved = std::make_unique<Reserved>();
  reserved->local_gps = count;
  // On average each is held by no more than this, since all points are.
  const Index points = count * (Index{model.options.capacity} + 1);
  const Index window = std::max(model.options.window_size, model.options.max_observations);
  reserved->most_holders = std::max<Index>(8, points / window + 1);
  const auto capacity = static_cast<std::uint64_t>(model.options.capacity);
  reserved->renewal_operations = capacity * capacity;
  Alarm spare;
  spare.lower.resize(model.inputs);
  spare.upper.resize(model.inputs);
  reserved->spare_alarms.assign(2, spare);
  reserve_local_gps(model, count);
  reserve_renewal(model, reserved->renewal);
  reserve_buffers(model, count);
  know_holders(model.partition);
  model.partition.holders.reserve(static_cast<std::size_t>(points));
  model.partition.centers.reserve(count);
  model.drift.reserve(count);
  if (model.options.training == Training::background) {
    finish_training(model);
    model.trainer = nullptr;
    reserved->trainer = std::make_unique<LoopTrainer>(model, count);
  }
  model.reserved = std::move(reserved);
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
  Index sum = (1 + q) * (append + remove) + options.neighbors * solve + 6 * solve + split;
  // Whoever holds what is forgotten; in steps, a merge, a renewal, which loses points too, and what
  // a training copies; an alarm, which looks at all inputs.
  sum += model.reserved->most_holders * remove + (append + 2 * remove);
  sum += static_cast<Index>(model.reserved->renewal_operations) + append + 4 * remove;
  sum += m * (d + p + 2);
  sum += std::max<Index>(options.window_size, options.max_observations) * d;
  return static_cast<std::uint64_t>(sum);
}

namespace {

// A local GP that is behind: of those that would be asked at x, or the next one.
Index next_behind(ModelState& model, const Eigen::Ref<const VectorXd>& x) {
  Partition& partition = model.partition;
  const Theta& theta = *model.knowledge.theta;
  partition.centers.most_similar(theta.kernel, x, n_asked(model), model.neighbors);
  for (const Neighbor& neighbor : model.neighbors) {
    if (!is_current(partition.at(neighbor.local_gp), theta)) return neighbor.local_gp;
  }
  constexpr Index kLook = 64;
  partition.refit_cursor = refit_cursor(partition, theta);
  partition.refit_version = theta.version;
  for (Index looked = 0; looked < kLook && partition.refit_cursor < partition.size(); ++looked) {
    if (!is_current(partition.at(partition.refit_cursor), theta)) return partition.refit_cursor;
    ++partition.refit_cursor;
  }
  return -1;
}

}  // namespace

int renew_next(ModelState& model, const Eigen::Ref<const VectorXd>& x) {
  Reserved& reserved = *model.reserved;
  Partition& partition = model.partition;
  const ThetaPointer& theta = model.knowledge.theta;
  if (reserved.renewing >= 0 && reserved.renewal.theta != theta) {  // another one came meanwhile
    partition.at(reserved.renewing).end_renewal();
    reserved.renewing = -1;
  }
  if (reserved.renewing < 0) {
    if (refit_cursor(partition, *theta) >= partition.size()) return 0;
    reserved.renewing = next_behind(model, x);
    if (reserved.renewing < 0) return 0;
    reserved.renewal.theta = theta;
    partition.at(reserved.renewing).begin_renewal(reserved.renewal);
  }
  LocalGp& local = partition.at(reserved.renewing);
  if (!local.renew(reserved.renewal_operations, model.workspace)) return 0;
  partition.centers.set(reserved.renewing, local.center(), theta->kernel);
  reserved.renewing = -1;
  return 1;
}

void follow_removal(Reserved& reserved, Partition& partition, Index removed, Index last) {
  const auto follow = [&](Index& number) {
    if (number == removed) {
      number = -1;
    } else if (number == last) {
      number = removed;
    }
  };
  partition.at(removed).end_renewal();
  follow(reserved.renewing);
  follow(reserved.merging);
}

}  // namespace splitgp
