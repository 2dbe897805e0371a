#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "splitgp/splitting_gp.h"
#include "table/recipe.h"
#include "table/state.h"

namespace splitgp::table {

/// What became of a row of a table.
enum class Fate : std::int8_t {
  learned,    ///< Predicted, and its target was known.
  predicted,  ///< It has no target.
  early,      ///< The lags reach back before the first row of its series.
  waiting,    ///< Answered; its target comes `horizon` rows later.
  rejected
};

/// Before the first training the model does not know the scale of the data: intervals are
/// placeholders.
bool interval_known(const SplittingGp& model);

/// Where rows of a table are learned: by the command alone, or while others ask.
class RowModel {
 public:
  virtual ~RowModel() = default;
  virtual const SplittingGp& model() const = 0;
  /// Predicts the row into `before`, then learns it. Returns whether it is a row to learn from at
  /// all, an outlier included. Throws NumericalError or InvalidArgument; the model is then as it
  /// was.
  virtual bool learn(std::span<const double> x, std::span<const double> y, double time,
                     Prediction& before) = 0;
  /// Learns a row that was answered earlier, with `said`. Throws likewise.
  virtual void learn_answered(std::span<const double> x, std::span<const double> y, double time,
                              const Prediction& said) = 0;
  /// Runs a change of what the recipe remembers.
  virtual void change(const std::function<void()>& work) { work(); }
};

/// What came of a row. Reuse one object for many rows.
struct TakenRow {
  Fate fate = Fate::rejected;
  Prediction answer;  ///< Of this row, unless it was early; made before it was learned.
  bool interval_known = false;

  /// With a horizon, the earlier row that this one brings the target of: what was answered then.
  enum class Earlier { none, without_target, learned };
  Earlier earlier = Earlier::none;
  Prediction said;  ///< If it was learned.
  bool said_interval_known = false;
};

/// Takes a row that the recipe has applied and did not reject: predicts it and learns it or, with a
/// horizon, learns the row whose target it brings and answers for a later one. Then means and lags
/// know it. If learning throws, so does this, and they do not.
void take_row(const Recipe& recipe, RecipeState& state, const Applied& row, RowModel& model,
              TakenRow& taken);

}  // namespace splitgp::table
