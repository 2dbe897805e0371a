#pragma once

#include <vector>

#include "core/train/training_set.h"
#include "rivals/exact_gp.h"
#include "rivals/rival_state.h"

namespace splitgp::rivals {

/// For parts that are regions of the input space: the core's own draw, as if they were the local
/// GPs of a SplittingGp. A region too large for the cost bound gives a random subset.
TrainingSet draw_from_regions(const RivalState& model, const std::vector<const ExactGp*>& parts);

/// For parts that are random shares of the stream: as many as the bounds allow, one block each, so
/// that the objective is the sum of the parts' likelihoods. A part too large for its share of the
/// bounds gives a random subset, which is a smaller random share.
TrainingSet draw_from_shares(const RivalState& model, const std::vector<const ExactGp*>& parts);

}  // namespace splitgp::rivals
