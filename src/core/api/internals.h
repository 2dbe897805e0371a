#pragma once

#include <memory>
#include <utility>

#include "core/model/model_state.h"
#include "splitgp/splitting_gp.h"

namespace splitgp {

struct SplittingGp::State : ModelState {
  using ModelState::ModelState;
  explicit State(ModelState&& state) : ModelState(std::move(state)) {}
};

/// Access to what SplittingGp hides, for the store, the tests and the benchmarks.
struct Internals {
  static const ModelState& of(const SplittingGp& model) { return *model.state_; }
  static ModelState& of(SplittingGp& model) { return *model.state_; }
  static SplittingGp model(ModelState state) {
    return SplittingGp(std::make_unique<SplittingGp::State>(std::move(state)));
  }
};

}  // namespace splitgp
