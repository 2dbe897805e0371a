#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "core/train/objective.h"
#include "core/train/optimise.h"

namespace bench {

/// When to stop. Ours stops by the gain that the next step would bring, the others by the change
/// that the last one brought.
struct Budget {
  splitgp::StopWhen ours;
  double relative_change;  // with as many evaluations
};

struct Contender {
  std::string name;
  std::string licence;
  std::function<splitgp::Optimum(splitgp::Objective&, const Eigen::VectorXd& start, const Budget&)>
      maximise;
};

/// Train's own comes first; then the others that were found when this was compiled.
std::vector<Contender> contenders();
/// Those that were not found.
std::vector<std::string> missing_contenders();

}  // namespace bench
