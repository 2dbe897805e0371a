#pragma once

#include <memory>

#include "rivals/method.h"
#include "rivals/rivals.h"
#include "rivals/steps.h"

namespace splitgp::rivals {

/// Each checks its own options.
std::unique_ptr<Method> make_full_gp(const RivalState&, const FullGp::Options&);
std::unique_ptr<Method> make_robust_bcm(const RivalState&, const RobustBcm::Options&);
std::unique_ptr<Method> make_local_gp_regression(const RivalState&,
                                                 const LocalGpRegression::Options&);
std::unique_ptr<Method> make_locally_growing_gp(const RivalState&,
                                                const LocallyGrowingGp::Options&);

/// The entry points of the rivals' arithmetic, compiled for the same instruction sets as the core's
/// (core/model/compiled_core.h), so that comparisons are fair.
struct CompiledRivals {
  const char* instruction_set;
  decltype(&make_full_gp) full_gp;
  decltype(&make_robust_bcm) robust_bcm;
  decltype(&make_local_gp_regression) local_gp_regression;
  decltype(&make_locally_growing_gp) locally_growing_gp;
  decltype(&rivals::learn) learn;
  decltype(&rivals::predict) predict;
  decltype(&rivals::train_now) train_now;
  decltype(&rivals::set_theta) set_theta;
};

/// The one for the instruction set that the core uses in this process.
const CompiledRivals& compiled_rivals();

}  // namespace splitgp::rivals
