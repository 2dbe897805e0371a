#include "core/model/debt.h"

#include <algorithm>
#include <limits>

#include "core/base/operations.h"
#include "core/model/forget.h"
#include "core/model/merge.h"
#include "core/model/model_state.h"
#include "core/partition/renewing.h"
#include "core/partition/waking.h"
#include "core/predict/predict.h"

namespace splitgp {

using Eigen::Index;

namespace {

bool renew_next(ModelState& model, const Observation& row, UpdateResult& result) {
  Partition& partition = model.partition;
  const ThetaPointer& theta = model.knowledge.theta;
  if (partition.renewing.local_gp < 0 && current_before(partition, *theta) >= partition.size())
    return false;
  const Route near = partition.route(row.x, theta->kernel, n_asked(model));
  const Index renewed = renew(partition, theta, near.similar, model.budget.operations);
  if (renewed >= 0) result.record.renewed = renewed;
  return false;  // one with each row is enough
}

bool recut_next(ModelState& model, const Observation&, UpdateResult&) {
  model.partition.centers.follow(model.knowledge.theta->kernel);
  return false;
}

bool copy_next(ModelState& model, const Observation&, UpdateResult&) {
  if (model.trainer.is_gathering()) model.trainer.gather_next(model);
  return false;
}

bool let_sleep_next(ModelState& model, const Observation&, UpdateResult&) {
  let_sleep(model.partition);
  return false;
}

// True if there may be more to do at once.
using Task = bool (*)(ModelState&, const Observation&, UpdateResult&);
constexpr Task kQueue[] = {forget_due, merge_next, renew_next,
                           recut_next, copy_next,  let_sleep_next};

std::uint64_t square(Index n) { return static_cast<std::uint64_t>(n * n); }

// What it takes to factorise a local GP with so many points.
std::uint64_t factorisation(Index points) {
  const auto n = static_cast<std::uint64_t>(points);
  return n * n * n / 6;
}

}  // namespace

// Where factors are small, a merge is what takes longest.
Budget::Budget(const Options& options)
    : operations(std::max(factorisation(options.capacity), 64 * square(options.capacity))),
      holders(std::numeric_limits<Index>::max()) {}

void pay_debt(ModelState& model, const Observation& row, UpdateResult& result) {
  const std::uint64_t began = operations_done;
  for (const Task task : kQueue) {
    while (task(model, row, result) && operations_done - began < model.budget.operations) {
    }
  }
}

}  // namespace splitgp
