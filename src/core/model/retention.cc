#include "core/model/retention.h"

#include <utility>

namespace splitgp {

void Retention::note_time(const Observation& learned, const Partition& partition) {
  // Of what is forgotten for other reasons than its age, most has left when the list is cleaned.
  if (expiry.size() > 2 * partition.held + 16) {
    Expiry held;
    for (std::size_t i = 0; i < expiry.size(); ++i) {
      if (partition.holders.contains(expiry[i].sequence)) held.add(expiry[i]);
    }
    expiry = std::move(held);
  }
  expiry.add({learned.sequence, learned.time});
}

void Retention::follow_removal(Eigen::Index removed, Eigen::Index last) {
  if (merging == removed) {
    merging = -1;
  } else if (merging == last) {
    merging = removed;
  }
}

}  // namespace splitgp
