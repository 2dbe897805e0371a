#pragma once

#include <functional>
#include <memory>

#include "rivals/method.h"
#include "rivals/rival_state.h"
#include "rivals/rivals.h"

namespace splitgp::rivals {

struct Regressor::State : RivalState {
  std::unique_ptr<Method> method;

  /// Creates the method and checks its options.
  using MakeMethod = std::function<std::unique_ptr<Method>(const RivalState&)>;
  static std::unique_ptr<State> make(Eigen::Index inputs, Eigen::Index outputs,
                                     const CommonOptions& options, const MakeMethod& make_method);
};

}  // namespace splitgp::rivals
