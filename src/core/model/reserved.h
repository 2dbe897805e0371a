#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/local_gp/local_gp.h"
#include "splitgp/results.h"

namespace splitgp {

class LoopTrainer;
struct ModelState;

/// What a model has that is reserved for a control loop (core/model/reserve.h).
struct Reserved {
  Reserved();
  ~Reserved();

  Eigen::Index local_gps = 0;            // for how many there is room
  Eigen::Index most_holders = 0;         // that lose a forgotten observation in one update
  std::uint64_t renewal_operations = 0;  // spent on a renewal in one update, and one row more

  Renewal renewal;
  Eigen::Index renewing = -1;  // the local GP whose renewal that is; -1: none
  Eigen::Index merging = -1;   // the one that is giving its observations away; -1: none
  std::optional<std::uint64_t> forgetting;  // an observation that some still hold

  std::vector<Alarm> spare_alarms;
  std::unique_ptr<LoopTrainer> trainer;  // with training in the background
};

/// A copied model is not reserved.
struct OwnReserved : std::unique_ptr<Reserved> {
  OwnReserved() = default;
  OwnReserved(const OwnReserved&) : OwnReserved() {}
  OwnReserved(OwnReserved&&) = default;
  using std::unique_ptr<Reserved>::operator=;
};

}  // namespace splitgp
