#pragma once

#include <memory>

#include "core/kernel.h"
#include "splitgp/hyperparameters.h"

namespace splitgp {

/// One version of θ with its kernel ready to use. Immutable, and shared by the local GPs whose
/// factors were made with it.
struct Theta {
  explicit Theta(Hyperparameters completed) : values(std::move(completed)), kernel(values) {}

  Hyperparameters values;
  Kernel kernel;
};

using ThetaPointer = std::shared_ptr<const Theta>;

}  // namespace splitgp
