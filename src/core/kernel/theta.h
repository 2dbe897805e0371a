#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/kernel/kernel.h"
#include "core/kernel/prior_mean.h"
#include "splitgp/hyperparameters.h"

namespace splitgp {

/// One version of θ with its kernel ready to use. Immutable, and shared by the local GPs whose
/// factors were built with it.
struct Theta {
  Theta(Hyperparameters completed, std::uint64_t number)
      : values(std::move(completed)), version(number), kernel(values), prior_mean(values) {}

  Hyperparameters values;
  std::uint64_t version;  // counts the changes of θ
  Kernel kernel;
  PriorMean prior_mean;
};

using ThetaPointer = std::shared_ptr<const Theta>;

}  // namespace splitgp
