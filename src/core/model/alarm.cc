#include "core/model/alarm.h"

#include <vector>

#include "core/model/forget.h"

namespace splitgp {

using Eigen::Index;

namespace {

// Forgets what these local GPs own and what is older than the change. The last they hold must stay
// if nothing newer came to any of them.
std::uint64_t forget_older(ModelState& model, const std::vector<Index>& local_gps,
                           std::uint64_t change_point) {
  std::vector<std::uint64_t> older;
  for (const Index i : local_gps) {
    const LocalGp& local = model.partition.at(i);
    for (Index j = 0; j < local.size(); ++j) {
      if (local.owns(j) && local.sequence(j) < change_point) older.push_back(local.sequence(j));
    }
  }
  if (older.size() == model.partition.held) return 0;
  return forget(model, older).forgotten;
}

}  // namespace

void raise_alarm(ModelState& model, UpdateResult& result) {
  if (!model.monitor.found()) return;
  const LocalGp& local = model.partition.at(result.record.local_gp);
  const Index output = model.monitor.found()->output;
  raise_alarm(model, PartitionThen(model.partition),
              local.dormant() ? 1.0 : local.local_scale(output), result);
}

void raise_alarm(ModelState& model, const PartitionThen& then, double local_scale,
                 UpdateResult& result) {
  Monitor& monitor = model.monitor;
  if (!monitor.found()) return;
  Alarm& alarm = monitor.raise(then, yardstick(model), local_scale, result);
  if (model.options.on_drift == OnDrift::forget) {
    monitor.drift.settle(*monitor.found(), monitor.changed);
    alarm.forgotten = forget_older(model, monitor.changed, alarm.change_point);
    // After merging, numbers of local GPs may have changed.
    if (!result.rejected)
      alarm.local_gp = result.record.local_gp = model.partition.owner_of(result.sequence);
  }
  monitor.remember(alarm);
}

}  // namespace splitgp
