// A recipe as JSON, for the model file.
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "splitgp/error.h"
#include "table/json_text.h"
#include "table/names.h"
#include "table/recipe.h"

namespace splitgp::table {
namespace {

using json = nlohmann::ordered_json;

template <typename Enum, std::size_t n>
Enum enum_of(const std::array<const char*, n>& names, const std::string& name) {
  for (std::size_t k = 0; k < n; ++k) {
    if (name == names[k]) return static_cast<Enum>(k);
  }
  throw FileError("the recipe in the model file has an unknown word: " + name);
}

json texts(const std::vector<std::string>& list) {
  json result = json::array();
  for (const std::string& text : list) result.push_back(json_text(text));
  return result;
}

std::vector<std::string> texts_of(const json& list) {
  std::vector<std::string> result;
  for (const json& text : list) result.push_back(from_json_text(text));
  return result;
}

json column_json(const Column& column) {
  json result{{"name", json_text(column.name)},
              {"use", name_of(column.use)},
              {"why", json_text(column.why)}};
  if (column.use == Use::time) result["part"] = name_of(column.part);
  if (column.use == Use::category || column.use == Use::open) result["width"] = column.width;
  if (!column.levels.empty()) result["levels"] = texts(column.levels);
  if (column.start != 0.0) result["start"] = column.start;
  if (column.marked) result["marked"] = true;
  return result;
}

Column column_of(const json& item) {
  Column column;
  column.name = from_json_text(item.at("name"));
  column.use = enum_of<Use>(kUseNames, item.at("use"));
  column.why = from_json_text(item.at("why"));
  if (item.contains("part")) column.part = enum_of<TimePart>(kPartNames, item.at("part"));
  column.width = item.value("width", 0);
  if ((column.use == Use::category || column.use == Use::open) &&
      (column.width < 1 || column.width > 1000)) {
    throw FileError("the recipe in the model file has a code of width " +
                    std::to_string(column.width));
  }
  if (item.contains("levels")) column.levels = texts_of(item.at("levels"));
  column.start = item.value("start", 0.0);
  column.marked = item.value("marked", false);
  return column;
}

json time_json(const TimeColumns& time) {
  json cycles = json::array();
  for (const Cycle cycle : time.cycles) cycles.push_back(to_string(cycle));
  return {{"columns", time.columns},
          {"order", time.order == DateOrder::day_first ? "day-first" : "month-first"},
          {"ordered", time.ordered},
          {"dated", time.dated},
          {"zoned", time.zoned},
          {"origin", time.origin},
          {"cycles", cycles}};
}

TimeColumns time_from(const json& item, std::size_t columns) {
  TimeColumns time;
  time.columns = item.at("columns").get<std::vector<std::size_t>>();
  for (const std::size_t column : time.columns) {
    if (column >= columns) throw FileError("the recipe in the model file lacks a column of a time");
  }
  time.order = item.at("order") == "day-first" ? DateOrder::day_first : DateOrder::month_first;
  time.ordered = item.value("ordered", true);  // files of earlier versions do not say
  time.dated = item.at("dated");
  time.zoned = item.at("zoned");
  time.origin = item.at("origin");
  for (const json& cycle : item.at("cycles")) {
    time.cycles.push_back(parse_cycles(cycle.get<std::string>()).at(0));
  }
  return time;
}

}  // namespace

std::string Recipe::to_text() const {
  json result;
  result["version"] = 1;
  json& columns = result["columns"] = json::array();
  for (const Column& column : parts_.columns) columns.push_back(column_json(column));
  json& times = result["times"] = json::array();
  for (const TimeColumns& time : parts_.times) times.push_back(time_json(time));
  result["targets"] = parts_.targets;
  json& lags = result["lags"] = json::array();
  for (const Lags& lag : parts_.lags) {
    lags.push_back({{"column", json_text(lag.column)}, {"rows", lag.rows}});
  }
  result["by"] = json_text(parts_.by);
  result["horizon"] = parts_.horizon;
  result["fill"] = to_string(parts_.fill);
  result["missing"] = texts(parts_.missing);
  result["decimal_mark"] = std::string(1, parts_.decimal_mark);
  return result.dump();
}

Recipe Recipe::from_text(const std::string& text) {
  try {
    const json parsed = json::parse(text);
    if (parsed.at("version") != 1) {
      throw FileError("the recipe in the model file was made by a newer version");
    }
    Parts parts;
    for (const json& item : parsed.at("columns")) parts.columns.push_back(column_of(item));
    for (const json& item : parsed.at("times")) {
      parts.times.push_back(time_from(item, parts.columns.size()));
    }
    parts.targets = parsed.at("targets").get<std::vector<std::size_t>>();
    for (const std::size_t target : parts.targets) {
      if (target >= parts.columns.size()) {
        throw FileError("the recipe in the model file lacks a target's column");
      }
    }
    for (const json& item : parsed.at("lags")) {
      parts.lags.push_back(
          {from_json_text(item.at("column")), item.at("rows").get<std::vector<int>>()});
      for (const int rows : parts.lags.back().rows) {
        if (rows < 0 || rows > 100'000)
          throw FileError("the recipe in the model file has a lag of " + std::to_string(rows));
      }
    }
    parts.by = from_json_text(parsed.at("by"));
    parts.horizon = parsed.at("horizon");
    parts.fill = parse_fill(parsed.at("fill").get<std::string>());
    parts.missing = texts_of(parsed.at("missing"));
    const std::string mark = parsed.at("decimal_mark");
    if (mark != "." && mark != ",") throw FileError("the recipe's decimal mark is neither . nor ,");
    parts.decimal_mark = mark.front();
    return Recipe(std::move(parts));
  } catch (const json::exception& error) {
    throw FileError(std::string("the recipe in the model file makes no sense: ") + error.what());
  } catch (const InvalidArgument& error) {
    throw FileError(std::string("the recipe in the model file makes no sense: ") + error.what());
  }
}

}  // namespace splitgp::table
