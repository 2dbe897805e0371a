#include "table/take_row.h"

#include <Eigen/Core>
#include <optional>

#include "table/waiting_answer.h"
#include "table/widening.h"

namespace splitgp::table {
namespace {

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

// The row answers for an earlier one, which is scored by what was said then.
void learn_earlier(const Recipe& recipe, RecipeState& state, const Applied& row, RowModel& to,
                   TakenRow& taken) {
  std::optional<WaitingRow> waiting;
  to.change([&] { waiting = state.arrived(recipe, row); });
  if (!waiting) return;
  if (!row.target_known) {
    taken.earlier = TakenRow::Earlier::without_target;
    return;
  }
  taken.said_interval_known = unpack_answer(waiting->answer, to.model().n_outputs(), taken.said);
  to.learn_answered(waiting->inputs, row.targets, row.time, taken.said);
  taken.earlier = TakenRow::Earlier::learned;
}

void answer(const Recipe& recipe, RecipeState& state, const Applied& row, RowModel& to,
            TakenRow& taken) {
  taken.interval_known = interval_known(to.model());
  to.model().predict(vector_of(row.inputs), taken.answer, recipe.rows_ahead());
  to.change([&] {
    state.wait(row, {row.inputs, pack_answer(taken.answer, taken.interval_known)});
  });
  taken.fate = Fate::waiting;
}

void predict_and_learn(RecipeState& state, const Applied& row, RowModel& to, TakenRow& taken) {
  taken.interval_known = interval_known(to.model());
  bool learned = false;
  if (row.target_known) {
    learned = to.learn(row.inputs, row.targets, row.time, taken.answer);
  } else {
    to.model().predict(vector_of(row.inputs), taken.answer);
  }
  widen(taken.answer, 0, state.widening(row));
  if (learned && taken.interval_known) to.change([&] { state.judge(row, taken.answer); });
  taken.fate = row.target_known ? Fate::learned : Fate::predicted;
}

}  // namespace

bool interval_known(const SplittingGp& model) {
  return model.options().training == Training::off || !model.training_history().empty();
}

void take_row(const Recipe& recipe, RecipeState& state, const Applied& row, RowModel& model,
              TakenRow& taken) {
  const bool ready = row.outcome == Applied::Outcome::ready;
  taken.fate = Fate::early;
  taken.earlier = TakenRow::Earlier::none;
  if (recipe.horizon() > 0) {
    learn_earlier(recipe, state, row, model, taken);
    if (ready) answer(recipe, state, row, model, taken);
  } else if (ready) {
    predict_and_learn(state, row, model, taken);
  }
  model.change([&] {
    if (!ready) state.wait_in_vain(recipe, row);
    state.take(recipe, row);
  });
}

}  // namespace splitgp::table
