#pragma once

#include <memory>
#include <utility>

#include "core/api/journal.h"
#include "core/model/model_state.h"
#include "splitgp/error.h"
#include "splitgp/splitting_gp.h"

namespace splitgp {

struct SplittingGp::State : ModelState {
  using ModelState::ModelState;
  explicit State(ModelState&& state) : ModelState(std::move(state)) {}

  /// Learns a row; the caller's values are checked.
  void learn(const Observation& row, UpdateResult& result);
  void note(const Observation& row, const UpdateResult& result) {
    journal.note(row, result, options.max_age > 0.0);
  }

  /// A file knows by this that it has another model.
  void leave_file() noexcept {
    journal = {};
    partition.changes = {};
  }

  Journal journal;
  /// Why the model cannot be used any more; null if it can.
  const char* unusable = nullptr;
};

inline constexpr const char* kHalfChanged = "a change of it was interrupted halfway";

/// Access to what SplittingGp hides, for the store, the tests and the benchmarks.
struct Internals {
  static const ModelState& of(const SplittingGp& model) { return *model.state_; }
  static ModelState& of(SplittingGp& model) { return *model.state_; }
  static Journal& journal(SplittingGp& model) { return model.state_->journal; }
  static SplittingGp model(ModelState state) {
    return SplittingGp(std::make_unique<SplittingGp::State>(std::move(state)));
  }

  /// `why` is a text that is never freed. The first one stays.
  static void give_up(SplittingGp& model, const char* why) noexcept {
    if (model.state_->unusable == nullptr) model.state_->unusable = why;
  }
  /// Throws UnusableModel.
  static void check_usable(const SplittingGp& model);

  /// Runs work(), which changes the model. If that fails, nobody knows what it has done, and the
  /// model is given up. An InvalidArgument is the caller's fault, and thrown before any change.
  template <typename Work>
  static decltype(auto) change(SplittingGp& model, const Work& work) {
    check_usable(model);
    try {
      return work();
    } catch (const InvalidArgument&) {
      throw;
    } catch (...) {
      give_up(model, kHalfChanged);
      throw;
    }
  }
};

}  // namespace splitgp
