#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <vector>

#include "charts/observed_inputs.h"
#include "serve/observer.h"

namespace splitgp::serve {

/// Rows that were learned, as far as a page shows them: the latest ones with what had been
/// predicted, and a sample that says where the inputs lie. Both are bounded. Threads: none of its
/// own.
class RowsSeen {
 public:
  static constexpr std::size_t kLatest = 160;
  static constexpr std::size_t kSample = 300;  ///< Drawn evenly from all rows, …
  static constexpr std::size_t kNewest = 300;  ///< … and the newest ones.

  /// Begins with a sample of what the model has learned before. `windowed`: the model forgets by
  /// itself, so that only the newest rows speak for it.
  void begin(const ObservedInputs& observed, std::uint64_t seen, bool windowed);
  /// O(inputs + outputs)
  void add(const LearnedRow& row);
  /// Keeps only what a model still held when it had seen `seen` rows, and what came later.
  void keep(const std::set<std::uint64_t>& held, std::uint64_t seen);

  /// The last `most` rows, as columns: see docs/service.md.
  nlohmann::ordered_json latest_json(std::size_t most = kLatest) const;
  /// As maps need it.  `length_scale` as in observed_rows().
  ObservedInputs observed(const Eigen::VectorXd& length_scale) const;
  /// The inputs of the newest row; empty before the first.
  const std::vector<double>& newest_inputs() const { return newest_inputs_; }

 private:
  struct Latest {
    std::uint64_t sequence;
    double time;
    bool interval_known, outlier, rejected;
    std::vector<double> y, mean, lower, upper, z;
  };
  struct Sampled {
    std::uint64_t sequence;
    std::vector<double> x, y;
  };

  std::deque<Latest> latest_;
  std::vector<Sampled> sample_;
  std::deque<Sampled> newest_;
  std::vector<double> newest_inputs_;
  std::uint64_t drawn_from_ = 0;
  std::uint64_t random_ = 1;
  bool windowed_ = false;
};

}  // namespace splitgp::serve
