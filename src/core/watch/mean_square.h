#pragma once

#include <cstdint>

#include "splitgp/results.h"

namespace splitgp {

/// The mean square of normal scores, exponentially weighted over about 100 rows.
struct MeanSquare {
  double value = 1.0;
  std::uint64_t rows = 0;  // over how many

  void add(double score);
  /// With the band that holds 95 % of such values on an unchanged stream.
  InnovationStatistics statistics() const;
};

}  // namespace splitgp
