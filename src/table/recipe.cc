#include "table/recipe.h"

#include <algorithm>
#include <set>
#include <utility>

#include "io/number.h"
#include "io/printable.h"
#include "splitgp/error.h"

namespace splitgp::table {
namespace {

// Two lags of one column may be given one by one.
void check_lags(const Recipe::Parts& parts) {
  for (const Lags& lags : parts.lags) {
    const auto found =
        std::find_if(parts.columns.begin(), parts.columns.end(),
                     [&](const Column& column) { return column.name == lags.column; });
    const std::string flag = "--lag " + shown(lags.column) + ": ";
    if (found == parts.columns.end()) throw InvalidArgument(flag + "there is no such column");
    const auto index = static_cast<std::size_t>(found - parts.columns.begin());
    const bool target =
        std::find(parts.targets.begin(), parts.targets.end(), index) != parts.targets.end();
    const bool numeric =
        found->use == Use::number || found->use == Use::boolean || found->use == Use::ordered;
    if (!target && !numeric) {
      throw InvalidArgument(flag + "only numbers and targets have lags; --as " +
                            shown(lags.column) + "=number says that it is one");
    }
    if (lags.rows.empty()) throw InvalidArgument(flag + "the number of rows is missing");
    if (lags.rows.front() == 0 && (!target || parts.horizon == 0)) {
      throw InvalidArgument(flag +
                            "0 rows before is the value itself; only a target with --horizon has "
                            "that as an input");
    }
  }
}

}  // namespace

Recipe::Recipe(Parts parts) : parts_(std::move(parts)) {
  if (parts_.targets.empty()) throw InvalidArgument("--target is missing");
  if (parts_.horizon < 0) throw InvalidArgument("--horizon must not be negative");
  for (const std::string& text : parts_.missing) {
    double number = 0.0;
    if (!parse_number(text, parts_.decimal_mark, number) || !parse_number(text, '.', number)) {
      missing_numbers_.push_back(number);
    }
  }
  check_lags(parts_);
  lay_out();
}

Recipe Recipe::plain(const std::vector<std::string>& inputs,
                     const std::vector<std::string>& targets, char decimal_mark) {
  Parts parts;
  for (const std::string& name : inputs) parts.columns.push_back({name, Use::number, "number"});
  for (const std::string& name : targets) {
    parts.targets.push_back(parts.columns.size());
    parts.columns.push_back({name, Use::none, "target"});
  }
  parts.fill = Fill::reject;
  parts.decimal_mark = decimal_mark;
  return Recipe(std::move(parts));
}

void Recipe::add_feature(Feature feature, const std::vector<std::string>& names, bool tied) {
  feature.first = input_names_.size();
  feature.count = names.size();
  for (const std::string& name : names) {
    input_names_.push_back(name);
    const bool joined = tied && input_names_.size() > feature.first + 1;
    groups_.push_back(groups_.empty() ? 0 : joined ? groups_.back() : groups_.back() + 1);
  }
  features_.push_back(std::move(feature));
}

void Recipe::lay_out() {
  const std::vector<Column>& columns = parts_.columns;
  std::set<std::size_t> timed;  // times that have their inputs already
  std::vector<bool> read(columns.size(), false);
  std::vector<std::vector<std::size_t>> times_of(columns.size());
  for (std::size_t t = 0; t < parts_.times.size(); ++t) {
    for (const std::size_t c : parts_.times[t].columns) times_of[c].push_back(t);
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    read[c] = column.use != Use::none;
    if (column.use == Use::time) {
      for (const std::size_t t : times_of[c]) {
        const TimeColumns& time = parts_.times[t];
        if (!timed.insert(t).second) continue;
        std::string name;
        for (const std::size_t part : time.columns) {
          name += (name.empty() ? "" : " ") + columns[part].name;
        }
        const std::size_t first = input_names_.size();
        if (time.dated) add_feature({name, Use::time, t}, {name + " hours"}, false);
        for (const Cycle cycle : time.cycles) {
          const std::string of = name + " " + std::string(to_string(cycle));
          // A circle has no direction that matters more.
          add_feature({name, Use::time, t}, {of + " sin", of + " cos"}, true);
        }
        // One feature for all of it.
        while (!features_.empty() && features_.back().first >= first) features_.pop_back();
        features_.push_back({name, Use::time, t, 0, false, first, input_names_.size() - first});
      }
    } else if (column.use == Use::category) {
      std::vector<std::string> names;
      for (int k = 1; k <= column.width; ++k) {
        names.push_back(column.name + " code " + std::to_string(k));
      }
      add_feature({column.name, Use::category, c}, names, true);
    } else if (column.use == Use::open) {
      // Room for either: a number and whether it is there, or the code of a category.
      std::vector<std::string> names{column.name};
      for (int k = 2; k <= column.width; ++k) {
        names.push_back(column.name + " part " + std::to_string(k));
      }
      add_feature({column.name, Use::open, c}, names, false);
    } else if (column.use != Use::none) {
      std::vector<std::string> names{column.name};
      if (column.marked) names.push_back(column.name + " missing");
      add_feature({column.name, column.use, c}, names, false);
    }
  }
  for (const std::size_t target : parts_.targets) read[target] = true;
  for (const Lags& lags : parts_.lags) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
      return column.name == lags.column;
    });
    const auto c = static_cast<std::size_t>(found - columns.begin());
    auto ring = std::find_if(lag_columns_.begin(), lag_columns_.end(),
                             [c](const LagColumn& lag) { return lag.column == c; });
    if (ring == lag_columns_.end()) ring = lag_columns_.insert(ring, {c, {}, 0});
    for (const int rows : lags.rows) {
      const std::string name = lags.column + " lag " + std::to_string(rows);
      Feature feature{name, Use::number, c, rows, true};
      add_feature(feature, {name}, false);
      ring->rows.push_back(rows);
      ring->longest = std::max(ring->longest, rows);
    }
    read[c] = true;
  }
  if (!parts_.by.empty()) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& column) { return column.name == parts_.by; });
    if (found == columns.end()) {
      throw InvalidArgument("--by: there is no column " + shown(parts_.by));
    }
    by_ = static_cast<std::size_t>(found - columns.begin());
    read[*by_] = true;
  }
  cell_of_.assign(columns.size(), columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!read[c]) continue;
    cell_of_[c] = read_.size();
    read_.push_back(c);
    read_names_.push_back(columns[c].name);
  }
  if (groups_.empty() || groups_.back() + 1 == static_cast<int>(groups_.size())) groups_.clear();
  if (input_names_.empty()) {
    throw InvalidArgument(
        "no columns are left to be inputs; --inputs or --as COL=KIND take one, --lag earlier "
        "values "
        "of the target");
  }
}

std::vector<std::string> Recipe::target_names() const {
  std::vector<std::string> names;
  for (const std::size_t target : parts_.targets) names.push_back(parts_.columns[target].name);
  return names;
}

std::vector<std::string> Recipe::used_columns() const {
  std::vector<std::string> names;
  for (const Column& column : parts_.columns) {
    if (column.use != Use::none) names.push_back(column.name);
  }
  return names;
}

bool Recipe::is_plain() const {
  return parts_.lags.empty() && parts_.horizon == 0 && parts_.by.empty() &&
         std::all_of(parts_.columns.begin(), parts_.columns.end(), [](const Column& column) {
           return column.use == Use::none || (column.use == Use::number && !column.marked);
         });
}

}  // namespace splitgp::table
