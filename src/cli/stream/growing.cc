#include "cli/stream/growing.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "splitgp/error.h"
#include "store/schema.h"
#include "table/take_row.h"

namespace splitgp {
namespace {

using table::Applied;
using table::Recipe;
using table::RecipeState;

// What only people read, and what fills gaps before there was any value.
std::string without_words(const Recipe& recipe) {
  Recipe::Parts parts = recipe.parts();
  for (table::Column& column : parts.columns) {
    column.why.clear();
    column.start = 0.0;
  }
  for (table::TimeColumns& time : parts.times) time.ordered = false;
  return Recipe(std::move(parts)).to_text();
}

// The options for other inputs. Empty if the user gave a value for each of the old ones.
std::optional<Options> options_for(const Recipe& grown, const Recipe& recipe, Options options) {
  if (options.length_scale_groups != recipe.length_scale_groups()) return std::nullopt;
  options.length_scale_groups = grown.length_scale_groups();
  if (options.max_age > 0.0 && grown.times().empty()) return std::nullopt;
  if (!options.hyperparameters) return options;
  Hyperparameters& theta = *options.hyperparameters;
  // What was left empty has been filled in for the old inputs.
  const Eigen::VectorXd slope = theta.trend_slope, origin = theta.trend_origin;
  if ((slope.array() != 0.0).any() || (origin.array() != 0.0).any()) return std::nullopt;
  theta.trend_slope = theta.trend_origin = theta.trend_range = Vector();
  const Eigen::VectorXd scales = theta.length_scale;
  if (scales.size() == 0) return options;
  if ((scales.array() != scales(0)).any()) return std::nullopt;
  theta.length_scale = Eigen::VectorXd::Constant(std::ssize(grown.input_names()), scales(0));
  return options;
}

// Learns again, with another recipe.
class Again : public table::RowModel {
 public:
  Again(const Recipe& recipe, RecipeState& state, SplittingGp& model)
      : recipe_(recipe), state_(state), model_(model) {}

  // Returns false if the row does not fit.
  bool take(table::Cells cells) {
    recipe_.apply(cells, state_, applied_);
    if (applied_.outcome == Applied::Outcome::rejected) return false;
    table::take_row(recipe_, state_, applied_, *this, taken_);
    return true;
  }

 private:
  const SplittingGp& model() const override { return model_; }
  bool learn(std::span<const double> x, std::span<const double> y, double time,
             Prediction& before) override {
    model_.predict_then_update(vector_of(x), vector_of(y), before, 0.0, time);
    return true;
  }
  void learn_answered(std::span<const double> x, std::span<const double> y, double time,
                      const Prediction& /*said*/) override {
    model_.update(vector_of(x), vector_of(y), 0.0, time);
  }
  static Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> values) {
    return {values.data(), std::ssize(values)};
  }

  const Recipe& recipe_;
  RecipeState& state_;
  SplittingGp& model_;
  Applied applied_;
  table::TakenRow taken_;
};

bool learn_again(const FirstTable& first, const Recipe& recipe, RecipeState& state,
                 SplittingGp& model) {
  std::vector<std::size_t> places;
  for (const std::string& name : recipe.read_columns()) {
    const auto found = std::find(first.columns().begin(), first.columns().end(), name);
    if (found == first.columns().end()) return false;
    places.push_back(static_cast<std::size_t>(found - first.columns().begin()));
  }
  Again again(recipe, state, model);
  std::vector<table::Cell> cells(places.size());
  for (std::size_t row = 0; row < first.size(); ++row) {
    const FirstTable::KeptRow& kept = first.rows()[row];
    if (kept.fate != FirstTable::Fate::taken) continue;
    for (std::size_t k = 0; k < places.size(); ++k) {
      cells[k] = table::Cell::of(kept.texts[places[k]]);
    }
    if (!again.take(cells)) return false;
  }
  return true;
}

}  // namespace

bool reads_alike(const Recipe& a, const Recipe& b) { return without_words(a) == without_words(b); }

std::optional<Grown> grow(const SplittingGp& model, const Recipe& recipe, FirstTable& first,
                          const StreamFlags& flags) {
  try {
    table::Found found = first.find(flags);
    if (reads_alike(found.recipe, recipe)) return std::nullopt;
    const auto inputs = std::ssize(found.recipe.input_names());
    if (inputs + model.n_outputs() > store::kMostColumns) return std::nullopt;
    std::optional<Options> options = options_for(found.recipe, recipe, model.options());
    if (!options) return std::nullopt;
    SplittingGp learned(inputs, model.n_outputs(), std::move(*options));
    RecipeState state(found.recipe);
    if (!learn_again(first, found.recipe, state, learned) || learned.n_seen() != model.n_seen() ||
        learned.n_observations() != model.n_observations()) {
      return std::nullopt;
    }
    return Grown{std::move(found), std::move(state), std::move(learned)};
  } catch (const InvalidArgument&) {  // there is no recipe for what came since
  } catch (const CommandError&) {
  } catch (const NumericalError&) {
  }
  return std::nullopt;
}

}  // namespace splitgp
