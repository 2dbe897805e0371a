#include "serve/live/fields.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "table/names.h"

namespace splitgp::serve {

using Json = nlohmann::ordered_json;

namespace {

// An open column is filled in as a number: what else it may hold, nobody knows yet.
const char* kind_of(table::Use use) {
  return table::name_of(use == table::Use::open ? table::Use::number : use);
}

// The level of a category whose code the inputs hold; 0, the most common one, if it is another.
std::size_t level_of(const table::Recipe& recipe, const table::Feature& feature,
                     const std::vector<double>& inputs) {
  const std::size_t levels = recipe.columns()[feature.column].levels.size();
  std::vector<double> code = inputs;
  for (std::size_t level = 0; level < levels; ++level) {
    recipe.set_feature(feature, static_cast<double>(level), code);
    if (code == inputs) return level;
  }
  return 0;
}

Json time_field(const table::TimeColumns& time, const table::Recipe& recipe) {
  Json columns = Json::array();
  for (const std::size_t c : time.columns) {
    const table::Column& column = recipe.columns()[c];
    columns.push_back({{"name", column.name}, {"part", table::name_of(column.part)}});
  }
  return {
      {"columns", columns}, {"origin", time.origin}, {"dated", time.dated}, {"zoned", time.zoned}};
}

}  // namespace

Json fields_json(const table::Recipe& recipe, const ObservedInputs& observed,
                 const std::vector<double>& newest) {
  std::vector<double> inputs = newest;
  if (inputs.empty()) inputs.assign(observed.median.begin(), observed.median.end());
  Json result = Json::array();
  for (std::size_t k = 0; k < recipe.features().size(); ++k) {
    const table::Feature& feature = recipe.features()[k];
    if (feature.is_lag || feature.use == table::Use::none) continue;
    Json field{{"column", k}, {"name", feature.name}, {"kind", kind_of(feature.use)}};
    Range range = observed.ranges[feature.first];
    double value = inputs[feature.first];
    if (feature.use == table::Use::time) {
      const table::TimeColumns& time = recipe.times()[feature.column];
      field["time"] = time_field(time, recipe);
      if (!time.dated) {
        range = {0.0, 24.0};
        value = 12.0;  // what the clock showed cannot be told from the cycle's inputs alone
      }
    } else if (feature.use != table::Use::number && feature.use != table::Use::open) {
      const std::vector<std::string>& levels = recipe.columns()[feature.column].levels;
      field["levels"] = levels;
      value = feature.use == table::Use::category
                  ? static_cast<double>(level_of(recipe, feature, inputs))
                  : std::clamp(std::round(value), 0.0, static_cast<double>(levels.size()) - 1.0);
    }
    field["low"] = std::min(range.low, value);
    field["high"] = std::max(range.high, value);
    field["value"] = value;
    result.push_back(std::move(field));
  }
  return result;
}

}  // namespace splitgp::serve
