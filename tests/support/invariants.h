#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "core/api/internals.h"
#include "splitgp/splitting_gp.h"

namespace splitgp::testing {

/// What is wrong with a model, in words; empty if nothing is. Plain text, so that both GoogleTest
/// and rapidcheck can use it.
class Invariants {
 public:
  /// For every local GP and all observations together. O(n)
  static std::string violated(const SplittingGp& model) {
    const ModelState& state = Internals::of(model);
    std::vector<int> owners(state.knowledge.observations, 0);
    std::uint64_t owned = 0;
    std::size_t points = 0;
    if (state.partition.centers.size() != state.partition.size())
      return "there are more centers than local GPs, or fewer";
    for (std::size_t i = 0; i < state.partition.local_gps.size(); ++i) {
      const LocalGp& local = state.partition.local_gps[i];
      const std::string wrong = violated(state, i);
      if (!wrong.empty()) return wrong;
      for (Eigen::Index j = 0; j < local.size(); ++j) {
        if (local.sequence(j) >= owners.size()) return at(i) + "holds an observation never made";
        owners[local.sequence(j)] += local.owns(j) ? 1 : 0;
      }
      points += static_cast<std::size_t>(local.size());
      owned += static_cast<std::uint64_t>(local.owned());
    }
    if (owned != state.partition.held) {
      return "the model counts " + std::to_string(state.partition.held) + " observations of " +
             std::to_string(owned);
    }
    const bool may_forget = state.partition.holders.started();
    std::vector<Eigen::Index> holders;
    for (std::size_t sequence = 0; sequence < owners.size(); ++sequence) {
      state.partition.holders.of(sequence, holders);
      for (const Eigen::Index i : holders) {
        if (i >= state.partition.size() || state.partition.at(i).find(sequence) < 0)
          return "local GP " + std::to_string(i) + " is said to hold " + std::to_string(sequence);
      }
      points -= may_forget ? holders.size() : 0;
      // What was forgotten has no owner, and nobody borrows it.
      if (may_forget && owners[sequence] == 0 && holders.empty()) continue;
      if (owners[sequence] == 1 && (!may_forget || sequence >= state.partition.oldest)) continue;
      return "observation " + std::to_string(sequence) + " has " +
             std::to_string(owners[sequence]) + " owners";
    }
    if (may_forget && points != 0) return "not all who hold an observation are known";
    return "";
  }

  /// For the local GPs that one update touched, and what it reported. O(m)
  static std::string violated(const SplittingGp& model, const UpdateResult& result) {
    const ModelState& state = Internals::of(model);
    const auto touched = static_cast<std::size_t>(result.record.local_gp);
    if (touched >= state.partition.local_gps.size())
      return "the update names a local GP that does not exist";
    std::string wrong = violated(state, touched);
    if (result.record.new_local_gp && wrong.empty()) {
      wrong = violated(state, static_cast<std::size_t>(*result.record.new_local_gp));
    }
    for (const Borrowing& borrowing : result.record.borrowed) {
      const auto borrower = static_cast<std::size_t>(borrowing.local_gp);
      if (wrong.empty()) wrong = violated(state, borrower);
      const LocalGp& local = state.partition.local_gps[borrower];
      const Eigen::Index row = local.find(result.sequence);
      if (row < 0 || local.owns(row)) {
        wrong += at(borrower) + "is reported to borrow an observation and does not";
      }
    }
    if (!wrong.empty()) return wrong;
    if (result.record.new_local_gp) {
      std::vector<std::uint64_t> owned;
      const LocalGp& child = state.partition.at(*result.record.new_local_gp);
      for (Eigen::Index j = 0; j < child.size(); ++j) {
        if (child.owns(j)) owned.push_back(child.sequence(j));
      }
      // Of what the split gave it, some may be forgotten already; and it may have been given more.
      if (!result.record.forgotten.empty()) {
        for (const std::uint64_t sequence : result.record.leaving) {
          if (child.find(sequence) >= 0 || std::count(result.record.forgotten.begin(),
                                                      result.record.forgotten.end(), sequence) > 0)
            continue;
          return "the second child lacks what left for it";
        }
      } else if (owned != result.record.leaving)
        return "the update names others than the second child owns";
      if (result.record.routed_to != state.partition.split_history.back().parent) {
        return "the update names another local GP than the one that was split";
      }
    } else if (result.record.routed_to != result.record.local_gp ||
               !result.record.leaving.empty()) {
      return "the update moved an observation without a split";
    }
    const LocalGp& local = state.partition.local_gps[touched];
    for (Eigen::Index j = 0; j < local.size(); ++j) {
      if (local.sequence(j) == result.sequence && local.owns(j)) return "";
    }
    return at(touched) + "is reported as the owner of observation " +
           std::to_string(result.sequence) + " and is not";
  }

 private:
  static std::string at(std::size_t i) { return "local GP " + std::to_string(i) + " "; }

  static std::string violated(const ModelState& state, std::size_t i) {
    const LocalGp& local = state.partition.local_gps[i];
    const Eigen::Index limit = state.options.split_limit;
    std::ostringstream wrong;
    if (local.owned() < 1) wrong << at(i) << "owns nothing";
    if (local.owned() > limit) wrong << at(i) << "owns " << local.owned() << " > m = " << limit;
    const Eigen::Index capacity = state.options.capacity;
    if (local.size() > capacity + 1) {
      wrong << at(i) << "holds " << local.size() << " > " << capacity << " + 1";
    }
    if (!state.options.comparison.inherit && local.borrowed() > 0) wrong << at(i) << "borrows";
    Eigen::Index owned = 0;
    for (Eigen::Index j = 0; j < local.size(); ++j) {
      owned += local.owns(j) ? 1 : 0;
      for (Eigen::Index k = 0; k < j; ++k) {
        if (local.sequence(j) == local.sequence(k)) wrong << at(i) << "holds an observation twice";
      }
    }
    if (owned != local.owned()) wrong << at(i) << "counts its observations wrongly";
    if (!local.center().allFinite()) wrong << at(i) << "has no finite center";
    return wrong.str();
  }
};

/// As above, for what a model answers at the columns of `queries`.
inline std::string wrong_answer(const SplittingGp& model, const Eigen::MatrixXd& queries) {
  const Prediction prediction = model.predict(queries);
  const Hyperparameters& theta = model.hyperparameters();
  for (Eigen::Index q = 0; q < queries.cols(); ++q) {
    for (Eigen::Index o = 0; o < prediction.mean.rows(); ++o) {
      const double variance = prediction.variance(o, q);
      const double noise_variance = prediction.noise_variance(o, q);
      // Data only reduce variance: none is above the prior's, but for the rounding of Σ w = 1, and
      // for calibration, which learns from errors that the prior may have been wrong.
      const double prior = theta.signal_variance * std::pow(theta.output_scale(o), 2);
      const double most = model.options().calibration == Calibration::none
                              ? prior * (1 + 1e-12)
                              : std::numeric_limits<double>::max();
      if (std::isfinite(prediction.mean(o, q)) && variance >= 0.0 && variance <= most &&
          noise_variance >= 0.0 && std::isfinite(variance + noise_variance) &&
          prediction.degrees_of_freedom(o, q) > 2.0) {
        continue;
      }
      std::ostringstream wrong;
      wrong << "mean " << prediction.mean(o, q) << ", variance " << variance << " (prior " << prior
            << ") at " << queries.col(q).transpose();
      return wrong.str();
    }
  }
  return "";
}

}  // namespace splitgp::testing
