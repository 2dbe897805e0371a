#include "core/waking.h"

namespace splitgp {

using Eigen::Index;

namespace {

LocalGp& at(ModelState& model, Index local_gp) {
  return model.local_gps[static_cast<std::size_t>(local_gp)];
}

}  // namespace

void wake(ModelState& model, Index local_gp) {
  LocalGp& local = at(model, local_gp);
  if (local.dormant()) {
    local.wake();
    if (model.awake_limit > 0) model.awake.push_back(local_gp);
  }
  local.used = true;
}

void keep_awake(ModelState& model, Index local_gp) {
  at(model, local_gp).used = true;
  if (model.awake_limit > 0) model.awake.push_back(local_gp);
}

// The clock algorithm: who was used since it was last looked at gets another round. Every use pays
// for one more look, so an update looks at a bounded number.
void let_sleep(ModelState& model) {
  if (model.awake_limit == 0) return;
  while (std::ssize(model.awake) > model.awake_limit) {
    const Index oldest = model.awake.front();
    model.awake.pop_front();
    LocalGp& local = at(model, oldest);
    if (local.used) {
      local.used = false;
      model.awake.push_back(oldest);
    } else {
      local.sleep();
    }
  }
}

void set_awake_limit(ModelState& model, Index limit) {
  model.awake_limit = limit;
  model.awake.clear();
  if (limit == 0) return;
  model.may_be_dormant = true;
  for (Index i = 0; i < std::ssize(model.local_gps); ++i) {
    if (!at(model, i).dormant()) model.awake.push_back(i);
  }
  let_sleep(model);
}

}  // namespace splitgp
