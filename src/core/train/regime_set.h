#pragma once

#include <cstdint>

#include "core/partition/partition.h"
#include "core/train/training_set.h"

namespace splitgp {

/// What Train looks at after a surprise: the observations from number `regime` on, as the local GPs
/// meet them. Neighbourhoods around their owners, the newest first and then at random, until they
/// hold `most_observations` or reach the bound on the cost of one evaluation. The owners' older
/// observations are *given*: θ is to say how the new ones follow from them, not to describe them
/// too. O(C + most_observations·d)
///
/// The scale of the outputs, on which priors and bounds are set, is that of the new observations:
/// the whole stream may be a million rows of silence. That of the inputs is the larger of both.
TrainingSet draw_regime_set(const StreamKnowledge& knowledge, const Partition& partition,
                            std::uint64_t regime, Eigen::Index most_observations,
                            std::uint64_t seed);

}  // namespace splitgp
