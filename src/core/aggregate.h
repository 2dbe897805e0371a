#pragma once

#include <span>
#include <vector>

#include "core/local_gp.h"
#include "splitgp/options.h"

namespace splitgp {

/// What aggregation knows about one local GP that is asked.
struct Candidate {
  double log_similarity = 0.0;  // log k(c_i, x) − log k(x, x)
  LocalGp::Posterior posterior{};
};

/// The weights w_i of Algorithm 3, continuous in x and summing to 1 (design of the weights:
/// docs/paper_map.md, equation 3).
///
/// `candidates` are the most similar local GPs, most similar first; `outsider` is the log
/// similarity of the next one, −∞ if there is none: the taper fades a local GP out as it nears that
/// rank.
void aggregation_weights(std::span<const Candidate> candidates, double outsider,
                         const Options& options, std::vector<double>& weights);

}  // namespace splitgp
