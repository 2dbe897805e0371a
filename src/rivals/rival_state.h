#pragma once

#include "core/train/stream_knowledge.h"
#include "splitgp/options.h"

namespace splitgp::rivals {

/// What all rivals hold besides their observations.
struct RivalState {
  Options options;  // only those that Train uses matter here
  StreamHistory knowledge;

  Eigen::Index inputs() const { return knowledge.inputs(); }
  Eigen::Index outputs() const { return knowledge.outputs(); }
};

}  // namespace splitgp::rivals
