#pragma once

#include <string>
#include <vector>

#include "core/optimise.h"

namespace bench {

/// A function to maximise: its value, and its gradient unless null.
using Function = std::function<double(const Eigen::VectorXd&, Eigen::VectorXd*)>;

/// An optimiser that could replace splitgp::maximise.
struct Contender {
  std::string name;
  std::string licence;
  std::function<splitgp::Optimum(const Function&, const Eigen::VectorXd& start,
                                 const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                                 const splitgp::StopWhen&)>
      maximise;
};

/// What the engine uses today comes first. LBFGS++ takes part if its headers were found at compile
/// time.
std::vector<Contender> contenders();

}  // namespace bench
