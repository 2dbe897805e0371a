#include "table.h"

#include <limits>
#include <span>

#include "splitgp/error.h"
#include "table/recipe_note.h"

namespace splitgp::python {

using table::Applied;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Inputs = Eigen::Map<const Eigen::VectorXd>;

Inputs column_of(std::span<const double> values) { return {values.data(), std::ssize(values)}; }

table::Recipe recipe_in(const std::map<std::string, std::string>& notes) {
  const auto note = notes.find(table::kRecipeNote);
  if (note == notes.end()) throw FileError("the model file has no recipe for a table");
  return table::Recipe::from_text(note->second);
}

class Pupil : public table::RowModel {
 public:
  explicit Pupil(SplittingGp& gp) : gp_(gp) {}

  const SplittingGp& model() const override { return gp_; }
  bool learn(std::span<const double> x, std::span<const double> y, double time,
             Prediction& before) override {
    gp_.predict_then_update(column_of(x), column_of(y), before, 0.0, time);
    return true;
  }
  void learn_answered(std::span<const double> x, std::span<const double> y, double time,
                      const Prediction& /*said*/) override {
    gp_.update(column_of(x), column_of(y), 0.0, time);
  }

 private:
  SplittingGp& gp_;
};

}  // namespace

TableRun::TableRun(std::size_t rows, Eigen::Index outputs) : fates(rows, Fate::rejected) {
  const auto n = static_cast<Eigen::Index>(rows);
  for (Matrix* part : {&predictions.mean, &predictions.variance, &predictions.noise_variance,
                       &predictions.degrees_of_freedom}) {
    part->resize(outputs, n);
    part->setConstant(kNone);
  }
}

void TableRun::set(std::size_t row, const Prediction& prediction) {
  const auto i = static_cast<Eigen::Index>(row);
  predictions.mean.col(i) = prediction.mean;
  predictions.variance.col(i) = prediction.variance;
  predictions.noise_variance.col(i) = prediction.noise_variance;
  predictions.degrees_of_freedom.col(i) = prediction.degrees_of_freedom;
  Matrix& widths = predictions.conformal_half_widths;
  if (widths.rows() != prediction.conformal_half_widths.rows()) {
    widths.resize(prediction.conformal_half_widths.rows(), predictions.mean.cols());
    widths.setConstant(kNone);
  }
  widths.col(i) = prediction.conformal_half_widths;
}

Table::Table(std::map<std::string, std::string> notes)
    : recipe_(recipe_in(notes)),
      state_(table::RecipeState::load(recipe_,
                                      [&notes](const std::string& key) {
                                        const auto note = notes.find(key);
                                        return note == notes.end()
                                                   ? std::nullopt
                                                   : std::optional<std::string>(note->second);
                                      })),
      notes_(std::move(notes)) {
  std::erase_if(notes_, [](const auto& note) { return !note.first.starts_with("table_"); });
}

std::vector<std::pair<std::string, std::uint64_t>> Table::filled() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (std::size_t c = 0; c < recipe_.columns().size(); ++c) {
    if (state_.filled()[c] > 0) counts.emplace_back(recipe_.columns()[c].name, state_.filled()[c]);
  }
  return counts;
}

TableRun Table::stream(Model& model, TableCells& cells) {
  return model.write([&](SplittingGp& gp) {
    const std::lock_guard lock(mutex_);
    TableRun run(cells.rows(), gp.n_outputs());
    Pupil pupil(gp);
    for (std::size_t row = 0; row < cells.rows(); ++row) {
      recipe_.apply(cells.row(row), state_, applied_);
      if (applied_.outcome == Applied::Outcome::rejected) {
        run.reasons.emplace_back(row, applied_.reason);
        continue;
      }
      try {
        table::take_row(recipe_, state_, applied_, pupil, taken_);
      } catch (const NumericalError& error) {
        run.reasons.emplace_back(row, error.what());
        continue;
      } catch (const InvalidArgument& error) {
        run.reasons.emplace_back(row, error.what());
        continue;
      }
      run.fates[row] = taken_.fate;
      if (taken_.fate != Fate::early) run.set(row, taken_.answer);
    }
    return run;
  });
}

Table::Inputs Table::inputs(TableCells& cells) {
  if (recipe_.horizon() > 0) throw InvalidArgument("a model in shards has no horizon");
  const std::lock_guard lock(mutex_);
  Inputs result;
  result.fates.assign(cells.rows(), Fate::rejected);
  std::vector<double> inputs;
  std::vector<double> targets;
  for (std::size_t row = 0; row < cells.rows(); ++row) {
    recipe_.apply(cells.row(row), state_, applied_);
    if (applied_.outcome == Applied::Outcome::rejected) {
      result.reasons.emplace_back(row, applied_.reason);
      continue;
    }
    const bool ready = applied_.outcome == Applied::Outcome::ready;
    result.fates[row] = !ready                  ? Fate::early
                        : applied_.target_known ? Fate::learned
                                                : Fate::predicted;
    if (result.fates[row] == Fate::learned) {
      inputs.insert(inputs.end(), applied_.inputs.begin(), applied_.inputs.end());
      targets.insert(targets.end(), applied_.targets.begin(), applied_.targets.end());
    }
    if (!ready) state_.wait_in_vain(recipe_, applied_);
    state_.take(recipe_, applied_);
  }
  const auto matrix = [](const std::vector<double>& values, std::size_t width) {
    const auto rows = static_cast<Eigen::Index>(width);
    return Eigen::MatrixXd(Eigen::Map<const Eigen::MatrixXd>(
        values.data(), rows, static_cast<Eigen::Index>(values.size()) / rows));
  };
  result.inputs = matrix(inputs, recipe_.input_names().size());
  result.targets = matrix(targets, recipe_.target_names().size());
  return result;
}

TableRun Table::predict(const Model& model, TableCells& cells,
                        const Eigen::Ref<const Eigen::VectorXd>& ahead) const {
  return model.read([&](const SplittingGp& gp) {
    table::RecipeState state = state_now();
    TableRun run(cells.rows(), gp.n_outputs());
    Applied applied;
    std::vector<std::size_t> ready;
    std::vector<double> ahead_of_ready;
    std::vector<double> widenings;
    Eigen::MatrixXd X(gp.n_inputs(), static_cast<Eigen::Index>(cells.rows()));
    for (std::size_t row = 0; row < cells.rows(); ++row) {
      recipe_.apply(cells.row(row), state, applied);
      if (applied.outcome == Applied::Outcome::rejected) {
        run.reasons.emplace_back(row, applied.reason);
        continue;
      }
      state.take(recipe_, applied);
      if (applied.outcome == Applied::Outcome::early) {
        run.fates[row] = Fate::early;
        run.reasons.emplace_back(row, "there are not enough rows before it for the lags");
        continue;
      }
      run.fates[row] = Fate::predicted;
      X.col(static_cast<Eigen::Index>(ready.size())) = column_of(applied.inputs);
      ready.push_back(row);
      widenings.push_back(state.widening(applied));
      const double one = ahead(ahead.size() == 1 ? 0 : static_cast<Eigen::Index>(row));
      ahead_of_ready.push_back(one + recipe_.rows_ahead() - 1);
    }
    if (ready.empty()) return run;
    const auto count = static_cast<Eigen::Index>(ready.size());
    const Prediction found = gp.predict(X.leftCols(count), {ahead_of_ready.data(), count});
    Prediction one;
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const auto j = static_cast<Eigen::Index>(k);
      one.mean = found.mean.col(j);
      one.variance = found.variance.col(j);
      one.noise_variance = found.noise_variance.col(j);
      one.degrees_of_freedom = found.degrees_of_freedom.col(j);
      if (found.conformal_half_widths.cols() > 0)
        one.conformal_half_widths = found.conformal_half_widths.col(j);
      table::widen(one, 0, widenings[k]);
      run.set(ready[k], one);
    }
    return run;
  });
}

std::map<std::string, std::string> Table::notes() {
  const std::lock_guard lock(mutex_);
  notes_[table::kRecipeNote] = recipe_.to_text();
  state_.save([this](const std::string& key, std::string text) { notes_[key] = std::move(text); });
  return notes_;
}

table::RecipeState Table::state_now() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::unique_ptr<Table> Table::copy() const {
  const std::lock_guard lock(mutex_);
  return std::unique_ptr<Table>(new Table(recipe_, state_, notes_));
}

}  // namespace splitgp::python
