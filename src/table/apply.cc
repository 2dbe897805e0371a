// One row of the table into inputs and targets.
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/number.h"
#include "table/recipe.h"
#include "table/refuse.h"
#include "table/row_time.h"
#include "table/state.h"

namespace splitgp::table {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool is_blank(const Cell& cell) {
  return cell.kind == Cell::Kind::missing ||
         (cell.kind == Cell::Kind::text && trimmed(cell.text).empty());
}

}  // namespace

// One row. Functions that return bool have rejected the row if that is false.
class Recipe::Applying {
 public:
  Applying(const Recipe& recipe, Cells cells, const RecipeState& state, Applied& row)
      : recipe_(recipe), columns_(recipe.columns()), cells_(cells), state_(state), row_(row) {}

  bool run() {
    if (!begin()) return false;
    // Targets and lagged columns first: features may need them, whatever their order.
    if (!set_targets()) return false;
    for (const Feature& feature : recipe_.features_) {
      if (!set(feature, row_.inputs.data() + feature.first)) return false;
    }
    // Lagged columns that are not inputs themselves.
    for (const LagColumn& lag : recipe_.lag_columns_) {
      if (std::isnan(row_.values[lag.column]) && !read(lag.column)) return false;
    }
    if (early_) row_.outcome = Applied::Outcome::early;
    return true;
  }

 private:
  bool begin() {
    row_.reason.clear();
    row_.column.clear();
    row_.outcome = Applied::Outcome::ready;
    // A row in which only the target could be, and is not, is a row to predict from lags.
    if (cells_.size() > 1 && std::all_of(cells_.begin(), cells_.end(), is_blank)) {
      row_.outcome = Applied::Outcome::rejected;
      row_.reason = "the row is empty";
      return false;
    }
    row_.inputs.resize(recipe_.input_names_.size());
    row_.time = kMissing;
    row_.values.assign(columns_.size(), kMissing);
    row_.series.clear();
    row_.worded.clear();
    row_.guessed = false;
    if (recipe_.by_) {
      const Cell& cell = cell_of(*recipe_.by_);
      if (cell.kind == Cell::Kind::text) {
        row_.series = trimmed(cell.text);
      } else if (cell.kind != Cell::Kind::missing) {
        row_.series = std::to_string(cell.number);
      }
    }
    series_ = state_.find(row_.series);
    return true;
  }

  bool set_targets() {
    const std::vector<std::size_t>& targets = recipe_.parts_.targets;
    row_.targets.resize(targets.size());
    row_.target_known = true;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (!read(targets[k])) return false;
      row_.targets[k] = row_.values[targets[k]];
      if (std::isnan(row_.targets[k])) row_.target_known = false;
    }
    if (row_.target_known || !rejects_gaps()) return true;
    return std::all_of(targets.begin(), targets.end(), [this](std::size_t c) {
      return !std::isnan(row_.values[c]) || refuse_gap(c);
    });
  }

  bool set(const Feature& feature, double* to) {
    if (feature.is_lag) return set_lag(feature, to);
    switch (feature.use) {
      case Use::time:
        return set_time_of(feature, to);
      case Use::category:
        return set_text(feature.column, to);
      case Use::open:
        if (rejects_gaps() && recipe_.is_gap(cell_of(feature.column)))
          return refuse_gap(feature.column);
        return recipe_.set_open(feature.column, cell_of(feature.column), state_, to, row_);
      default:
        return set_number(feature, to);
    }
  }

  bool set_lag(const Feature& feature, double* to) {
    std::optional<double> value;
    if (feature.lag == 0) {
      value = row_.values[feature.column];
    } else if (series_ != nullptr) {
      const auto ring =
          std::find_if(recipe_.lag_columns_.begin(), recipe_.lag_columns_.end(),
                       [&](const LagColumn& lag) { return lag.column == feature.column; });
      value = RecipeState::lagged(
          *series_, static_cast<std::size_t>(ring - recipe_.lag_columns_.begin()), feature.lag);
    }
    if (!value) {
      early_ = true;
      return true;
    }
    *to = std::isnan(*value) ? state_.fill_of(recipe_, feature.column, series_) : *value;
    return true;
  }

  bool set_time_of(const Feature& feature, double* to) {
    const TimeColumns& time = recipe_.parts_.times[feature.column];
    double seconds = 0.0;
    if (!recipe_.time_of(time, cells_, seconds, row_)) return false;
    if (feature.column == 0) row_.time = seconds;
    set_time(time, seconds, to);
    return true;
  }

  bool set_text(std::size_t c, double* to) {
    const Cell& cell = cell_of(c);
    if (recipe_.is_gap(cell)) {
      if (rejects_gaps()) return refuse_gap(c);
      recipe_.set_category(columns_[c], "", to);
      return true;
    }
    row_.values[c] = 0.0;  // there is a value
    if (cell.kind == Cell::Kind::text) {
      recipe_.set_category(columns_[c], trimmed(cell.text), to);
    } else {
      recipe_.set_category(columns_[c], plain_number(cell.number), to);
    }
    return true;
  }

  bool set_number(const Feature& feature, double* to) {
    const std::size_t c = feature.column;
    if (!read(c)) return false;
    const bool gap = std::isnan(row_.values[c]);
    if (gap && rejects_gaps()) return refuse_gap(c);
    to[0] = gap ? state_.fill_of(recipe_, c, series_) : row_.values[c];
    if (gap) row_.guessed = row_.guessed || state_.is_news(c);
    if (feature.count > 1) to[1] = gap ? 1.0 : 0.0;
    return true;
  }

  const Cell& cell_of(std::size_t c) const { return cells_[recipe_.cell_of_[c]]; }
  bool read(std::size_t c) {
    return recipe_.value_of(columns_[c], cell_of(c), row_.values[c], row_);
  }
  bool rejects_gaps() const { return recipe_.parts_.fill == Fill::reject; }
  bool refuse_gap(std::size_t c) {
    return refuse(row_, columns_[c].name, "the value is missing" + shown_cell(cell_of(c)));
  }

  const Recipe& recipe_;
  const std::vector<Column>& columns_;
  const Cells cells_;
  const RecipeState& state_;
  Applied& row_;
  const RecipeState::Series* series_ = nullptr;
  bool early_ = false;
};

void Recipe::apply(Cells cells, const RecipeState& state, Applied& row) const {
  Applying(*this, cells, state, row).run();
}

}  // namespace splitgp::table
