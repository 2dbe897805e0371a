#pragma once

#include <span>
#include <vector>

#include "core/local_gp/local_gp.h"
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
///
/// Returns false if that left no weight at all, and similarity alone decided.
bool aggregation_weights(std::span<const Candidate> candidates, double outsider,
                         const Options& options, std::vector<double>& weights);

/// The derivatives of log w_i, before the weights are made to sum to 1, by what it depends on.
struct LogWeightSlopes {
  double similarity = 0.0;  // by the local GP's own log similarity, …
  double outsider = 0.0;    // … and that of the first one beyond those asked
  double explained = 0.0;   // by its posterior
  double variance = 0.0;
};

/// `decided` is what aggregation_weights returned.  REQUIRES: this candidate's weight is above 0.
LogWeightSlopes log_weight_slopes(const Candidate& candidate, double outsider,
                                  const Options& options, bool decided);

}  // namespace splitgp
