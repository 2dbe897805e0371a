#pragma once

#include <vector>

#include "core/local_gp/local_gp.h"
#include "splitgp/results.h"

namespace splitgp {

/// The rows since the last checkpoint of a model in a file, and what each of them did, in order:
/// the model itself only knows its current state. A copy of a model keeps none, nor does one that
/// was never written.
struct Journal {
  Journal() = default;
  Journal(const Journal&) {}
  Journal& operator=(const Journal&) {
    *this = Journal();
    return *this;
  }
  Journal(Journal&&) = default;
  Journal& operator=(Journal&&) = default;

  void note(const Observation& row, const UpdateResult& result, bool timed) {
    if (!kept || result.rejected) return;
    values.insert(values.end(), row.x.begin(), row.x.end());
    values.insert(values.end(), row.y.begin(), row.y.end());
    values.push_back(row.noise_variance);
    if (timed) times.push_back(row.time);
    records.push_back(result.record);
  }

  /// Everything so far is in the file.
  void begin() {
    *this = Journal();
    kept = true;
  }

  bool kept = false;
  std::vector<UpdateRecord> records;
  std::vector<double> values;  // x, y, noise variance of each
  std::vector<double> times;   // of each, if there is a max_age
};

}  // namespace splitgp
