#include "table/state.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/printable.h"
#include "splitgp/error.h"
#include "table/json_text.h"

namespace splitgp::table {

namespace {

using json = nlohmann::ordered_json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kStateNote = "table_state";

std::string series_note(std::size_t number) { return "table_series " + std::to_string(number); }

// JSON has no NaN: null is one.
std::vector<double> numbers_of(const json& list) {
  std::vector<double> numbers;
  for (const json& item : list) {
    numbers.push_back(item.is_null() ? kNone : item.get<double>());
  }
  return numbers;
}

}  // namespace

RecipeState::RecipeState(const Recipe& recipe)
    : columns_(recipe.columns().size()),
      count_(columns_, 0),
      mean_(columns_, 0.0),
      resemblances_(recipe.parts().fill == Fill::automatic ? columns_ : 0),
      filled_(columns_, 0),
      opened_(columns_, Opened::not_yet) {
  for (const Recipe::LagColumn& lag : recipe.lag_columns_) {
    ring_sizes_.push_back(static_cast<std::size_t>(lag.longest));
  }
}

const RecipeState::Series* RecipeState::find(const std::string& name) const {
  const auto found = series_.find(name);
  return found == series_.end() ? nullptr : &found->second;
}

RecipeState::Series& RecipeState::series_of(const std::string& name) {
  const auto [entry, added] = series_.try_emplace(name);
  if (added) {
    entry->second.name = name;
    entry->second.number = series_.size() - 1;
    entry->second.last.assign(columns_, kNone);
    entry->second.last_row.assign(resemblances_.size(), 0);
    for (const std::size_t size : ring_sizes_) entry->second.rings.emplace_back(size, kNone);
  }
  return entry->second;
}

double RecipeState::fill_of(const Recipe& recipe, std::size_t column, const Series* series) const {
  const Fill fill = recipe.parts().fill;
  if (count_[column] == 0) return recipe.columns()[column].start;
  if (fill == Fill::automatic) {
    const bool known = series != nullptr && !std::isnan(series->last[column]);
    if (!known) return resemblances_[column].guess(0.0, 0);
    return resemblances_[column].guess(series->last[column],
                                       series->rows - series->last_row[column]);
  }
  if ((fill == Fill::last || fill == Fill::last_marked) && series != nullptr &&
      !std::isnan(series->last[column])) {
    return series->last[column];
  }
  return mean_[column];
}

std::optional<double> RecipeState::lagged(const Series& series, std::size_t lag_column, int rows) {
  const std::vector<double>& ring = series.rings[lag_column];
  const auto back = static_cast<std::uint64_t>(rows);
  if (series.rows < back) return std::nullopt;
  return ring[static_cast<std::size_t>((series.rows - back) % ring.size())];
}

void RecipeState::take(const Recipe& recipe, const Applied& row) {
  Series& series = series_of(row.series);
  for (std::size_t c = 0; c < columns_; ++c) {
    const bool target = recipe.columns()[c].use == Use::none;
    const bool read = recipe.cell_of_[c] != columns_;
    if (!read || recipe.columns()[c].use == Use::time) continue;
    const double value = row.values[c];
    if (std::isnan(value)) {
      if (!target && recipe.columns()[c].use != Use::open) ++filled_[c];
      continue;
    }
    if (recipe.columns()[c].use == Use::open && opened_[c] == Opened::not_yet) {
      const bool word = std::find(row.worded.begin(), row.worded.end(), c) != row.worded.end();
      opened_[c] = word ? Opened::category : Opened::number;
    }
    ++count_[c];
    mean_[c] += (value - mean_[c]) / static_cast<double>(count_[c]);
    if (!resemblances_.empty()) {
      const bool known = !std::isnan(series.last[c]);
      resemblances_[c].see(value, series.last[c], known ? series.rows - series.last_row[c] : 0);
      series.last_row[c] = series.rows;
    }
    series.last[c] = value;
  }
  for (std::size_t k = 0; k < series.rings.size(); ++k) {
    std::vector<double>& ring = series.rings[k];
    if (ring.empty()) continue;  // only lag 0
    ring[static_cast<std::size_t>(series.rows % ring.size())] =
        row.values[recipe.lag_columns_[k].column];
  }
  ++series.rows;
  series.changed = true;
  changed_ = true;
}

std::optional<WaitingRow> RecipeState::arrived(const Recipe& recipe, const Applied& row) {
  if (recipe.horizon() == 0) return std::nullopt;
  Series& series = series_of(row.series);
  // Rows that could not be answered wait too, as empty ones, so that the count of rows is right.
  if (series.waiting.size() < static_cast<std::size_t>(recipe.horizon())) return std::nullopt;
  WaitingRow first = std::move(series.waiting.front());
  series.waiting.pop_front();
  if (first.inputs.empty()) return std::nullopt;
  --waiting_;
  return first;
}

void RecipeState::wait(const Applied& row, WaitingRow waiting) {
  if (!waiting.inputs.empty()) ++waiting_;
  Series& series = series_of(row.series);
  series.waiting.push_back(std::move(waiting));
  series.changed = true;
}

void RecipeState::wait_in_vain(const Recipe& recipe, const Applied& row) {
  if (recipe.horizon() > 0) wait(row, {});
}

std::string RecipeState::series_text(const Series& series) const {
  json waiting = json::array();
  for (const WaitingRow& row : series.waiting) {
    waiting.push_back({{"inputs", row.inputs}, {"answer", row.answer}});
  }
  json text{{"name", json_text(series.name)},
            {"rows", series.rows},
            {"last", series.last},
            {"rings", series.rings},
            {"waiting", waiting}};
  if (!series.last_row.empty()) text["last_row"] = series.last_row;
  return text.dump();
}

void RecipeState::save(const WriteNote& set_note) {
  if (!changed_) return;
  changed_ = false;
  for (auto& [name, series] : series_) {
    if (!std::exchange(series.changed, false)) continue;
    set_note(series_note(series.number), series_text(series));
  }
  json totals{{"count", count_}, {"mean", mean_}, {"filled", filled_}, {"series", series_.size()}};
  json& opened = totals["opened"] = json::object();
  for (std::size_t c = 0; c < columns_; ++c) {
    if (opened_[c] != Opened::not_yet) opened[std::to_string(c)] = static_cast<int>(opened_[c]);
  }
  if (opened.empty()) totals.erase("opened");
  for (const Resemblance& one : resemblances_) totals["resemblance"].push_back(one.numbers());
  set_note(kStateNote, totals.dump());
}

void RecipeState::read_series(const std::string& text) {
  const json parsed = json::parse(text);
  const std::string name = from_json_text(parsed.at("name"));
  Series& series = series_of(name);
  series.rows = parsed.at("rows");
  series.last = numbers_of(parsed.at("last"));
  std::size_t k = 0;
  for (const json& ring : parsed.at("rings")) {
    if (k >= series.rings.size() || ring.size() != series.rings[k].size()) {
      throw FileError("the earlier values of series " + shown(name) + " do not fit its lags");
    }
    series.rings[k++] = numbers_of(ring);
  }
  if (!series.last_row.empty()) {
    series.last_row = parsed.at("last_row").get<std::vector<std::uint64_t>>();
  }
  const bool sound =
      std::all_of(series.last_row.begin(), series.last_row.end(),
                  [&series](std::uint64_t row) { return row == 0 || row < series.rows; });
  if (series.last.size() != columns_ || k != series.rings.size() || !sound ||
      series.last_row.size() != resemblances_.size()) {
    throw FileError("what is known of series " + shown(name) + " does not fit the columns");
  }
  for (const json& row : parsed.at("waiting")) {
    series.waiting.push_back({numbers_of(row.at("inputs")), numbers_of(row.at("answer"))});
    if (!series.waiting.back().inputs.empty()) ++waiting_;
  }
}

RecipeState RecipeState::load(const Recipe& recipe, const ReadNote& note) {
  RecipeState state(recipe);
  const std::optional<std::string> totals = note(kStateNote);
  if (!totals) return state;
  try {
    const json parsed = json::parse(*totals);
    state.count_ = parsed.at("count").get<std::vector<std::uint64_t>>();
    state.mean_ = numbers_of(parsed.at("mean"));
    state.filled_ = parsed.at("filled").get<std::vector<std::uint64_t>>();
    if (state.count_.size() != state.columns_ || state.mean_.size() != state.columns_ ||
        state.filled_.size() != state.columns_) {
      throw FileError("the recipe's state does not fit its columns");
    }
    if (parsed.contains("opened")) {
      for (const auto& [column, kind] : parsed.at("opened").items()) {
        std::size_t c = state.columns_;  // unless it is a number
        std::from_chars(column.data(), column.data() + column.size(), c);
        const int opened = kind.get<int>();
        if (c >= state.columns_ || opened < 1 || opened > 2) {
          throw FileError("the recipe's state does not fit its columns");
        }
        state.opened_[c] = static_cast<Opened>(opened);
      }
    }
    if (!state.resemblances_.empty()) {
      const json& resemblances = parsed.at("resemblance");
      if (resemblances.size() != state.columns_) {
        throw FileError("the recipe's state does not fit its columns");
      }
      for (std::size_t c = 0; c < state.columns_; ++c) {
        state.resemblances_[c] = Resemblance::of(resemblances[c].get<Resemblance::Numbers>());
      }
    }
    const std::size_t series = parsed.at("series");
    for (std::size_t k = 0; k < series; ++k) {
      const std::optional<std::string> text = note(series_note(k));
      if (!text) throw FileError("the model file lacks the note " + series_note(k));
      state.read_series(*text);
    }
    if (state.series_.size() != series) throw FileError("two series have the same name");
  } catch (const json::exception& error) {
    throw FileError(std::string("the model file's notes about the table make no sense: ") +
                    error.what());
  }
  return state;
}

}  // namespace splitgp::table
