#pragma once

#include "core/model/model_state.h"

namespace splitgp {

/// Raises the alarm that Monitor::judge has found, if there is one, and does what the options want.
/// REQUIRES: the row is learned or rejected, and nothing has been merged since.
void raise_alarm(ModelState& model, UpdateResult& result);

/// The same when other rows may have been routed since: with the local GPs as this one left them,
/// and the owner's local scale of the output.  REQUIRES: Options::on_drift is report.
void raise_alarm(ModelState& model, const PartitionThen& then, double local_scale,
                 UpdateResult& result);

}  // namespace splitgp
