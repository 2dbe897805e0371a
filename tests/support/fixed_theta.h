#pragma once

#include "splitgp/options.h"

namespace splitgp::testing {

/// Options whose θ stays as given, for tests of what the model does with it.
inline Options fixed_theta(Options options = {}) {
  options.training = Training::off;
  return options;
}

}  // namespace splitgp::testing
