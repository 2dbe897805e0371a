// A recipe in words, and as flags.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "io/column_places.h"
#include "io/printable.h"
#include "table/recipe.h"

namespace splitgp::table {
namespace {

// A basic string of TOML, safe to print.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : ", ") + quoted(text);
  return "[" + result + "]";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : ",") + text;
  return result;
}

std::string lag_text(const Lags& lags) {
  std::string text = lags.column + ":";
  for (const int rows : lags.rows) {
    if (!text.ends_with(':')) text += ',';
    text += std::to_string(rows);
  }
  return text;
}

std::vector<std::string> cycle_names(const std::vector<Cycle>& cycles) {
  std::vector<std::string> names;
  for (const Cycle cycle : cycles) names.emplace_back(to_string(cycle));
  return names;
}

}  // namespace

std::vector<std::string> Recipe::explanation() const {
  std::size_t widest = 8;
  for (const Column& column : parts_.columns) {
    widest = std::max(widest, std::min<std::size_t>(shortened(column.name).size(), 24));
  }
  for (const Feature& feature : features_) {
    if (feature.is_lag) widest = std::max(widest, std::min<std::size_t>(feature.name.size(), 24));
  }
  std::vector<std::string> lines;
  for (const Column& column : parts_.columns) {
    std::string name = shortened(column.name);
    name.resize(std::max(name.size(), widest), ' ');
    lines.push_back(name + "  " + printable(column.why));
  }
  for (const Feature& feature : features_) {
    if (!feature.is_lag) continue;
    std::string name = shortened(feature.name);
    name.resize(std::max(name.size(), widest), ' ');
    lines.push_back(name + "  number: " + shortened(parts_.columns[feature.column].name) +
                    (feature.lag == 0 ? " in the same row"
                                      : " " + std::to_string(feature.lag) +
                                            (feature.lag == 1 ? " row" : " rows") + " before") +
                    (parts_.by.empty() ? "" : ", with the same " + shortened(parts_.by)));
  }
  return lines;
}

std::string Recipe::flags_toml(const std::vector<std::string>& header) const {
  const ColumnPlaces places(header);
  // A name that cannot be written, or would be read as two, is given by its number.
  const auto named = [&](const std::string& name) {
    const bool plain = printable(name) == name && name.find_first_of(",\"\\") == std::string::npos;
    const std::optional<std::size_t> place = places.find(name);
    return plain || !place ? name : std::to_string(*place + 1);
  };
  std::vector<std::string> targets;
  for (const std::string& name : target_names()) targets.push_back(named(name));
  std::string text = "target = " + list_of(targets) + "\n";
  std::vector<std::string> kinds;
  for (const Column& column : parts_.columns) {
    const auto index = static_cast<std::size_t>(&column - parts_.columns.data());
    if (std::find(parts_.targets.begin(), parts_.targets.end(), index) != parts_.targets.end()) {
      continue;
    }
    As as = As::ignore;
    switch (column.use) {
      case Use::number:
        as = As::number;
        break;
      case Use::boolean:
      case Use::ordered:
      case Use::open:
        continue;  // found again by their words, or their lack of them
      case Use::category:
        as = As::category;
        break;
      case Use::time: {
        as = As::time;
        for (const TimeColumns& time : parts_.times) {
          const bool here =
              std::find(time.columns.begin(), time.columns.end(), index) != time.columns.end();
          if (!here || (column.part != TimePart::stamp && column.part != TimePart::date)) continue;
          if (!time.ordered) continue;  // 2024-03-31 can be read in one way only
          as = time.order == DateOrder::day_first ? As::day_first : As::month_first;
        }
        break;
      }
      case Use::none:
        break;
    }
    text += "# " + printable(column.name) + ": " + printable(column.why) + "\n";
    kinds.push_back(named(column.name) + "=" + std::string(to_string(as)));
  }
  if (!kinds.empty()) text += "as = " + list_of(kinds) + "\n";
  if (!parts_.times.empty()) {
    const std::string cycles = joined(cycle_names(parts_.times.front().cycles));
    text += "cycles = " + quoted(cycles.empty() ? "none" : cycles) + "\n";
  }
  text += "fill = " + quoted(std::string(to_string(parts_.fill))) + "\n";
  if (!parts_.missing.empty()) text += "missing = " + list_of(parts_.missing) + "\n";
  std::vector<std::string> lags;
  for (const Lags& lag : parts_.lags) lags.push_back(lag_text({named(lag.column), lag.rows}));
  if (!lags.empty()) text += "lag = " + list_of(lags) + "\n";
  if (!parts_.by.empty()) text += "by = " + quoted(named(parts_.by)) + "\n";
  if (parts_.horizon > 0) text += "horizon = " + std::to_string(parts_.horizon) + "\n";
  text += "decimal = " + quoted(std::string(1, parts_.decimal_mark)) + "\n";
  return text;
}

std::string Recipe::disagreement(const Wishes& wishes) const {
  const auto differs = [](const std::string& flag, const std::string& asked,
                          const std::string& kept) {
    return flag + " " + asked + ": the model was made with " + (kept.empty() ? "none" : kept) +
           ", and keeps it";
  };
  std::map<std::string_view, const Column*> named;
  if (!wishes.as.empty()) {
    for (const Column& column : parts_.columns) named.emplace(column.name, &column);
  }
  for (const auto& [name, as] : wishes.as) {
    const auto found = named.find(name);
    const Column* const column = found == named.end() ? nullptr : found->second;
    if (column == nullptr) {
      if (as == As::ignore) continue;
      return "--as " + shown(name) + ": the model was made without such a column";
    }
    const bool time = as == As::time || as == As::day_first || as == As::month_first;
    const bool same = (column->use == Use::open && (as == As::number || as == As::category)) ||
                      (as == As::ignore && column->use == Use::none) ||
                      (as == As::number && column->use == Use::number) ||
                      (as == As::category && column->use == Use::category) ||
                      (time && column->use == Use::time);
    if (!same) {
      return differs("--as", name + "=" + std::string(to_string(as)), shortened(column->why));
    }
  }
  if (wishes.cycles) {
    for (const TimeColumns& time : parts_.times) {
      if (time.cycles != *wishes.cycles) {
        return differs("--cycles", joined(cycle_names(*wishes.cycles)),
                       joined(cycle_names(time.cycles)));
      }
    }
  }
  if (!wishes.missing.empty() && wishes.missing != parts_.missing) {
    return differs("--missing", joined(wishes.missing), joined(parts_.missing));
  }
  if (wishes.fill && *wishes.fill != parts_.fill) {
    return differs("--fill", std::string(to_string(*wishes.fill)),
                   std::string(to_string(parts_.fill)));
  }
  if (!wishes.lags.empty() && wishes.lags != parts_.lags) {
    std::vector<std::string> asked, kept;
    for (const Lags& lags : wishes.lags) asked.push_back(lag_text(lags));
    for (const Lags& lags : parts_.lags) kept.push_back(lag_text(lags));
    return differs("--lag", joined(asked), joined(kept));
  }
  if (!wishes.by.empty() && wishes.by != parts_.by) return differs("--by", wishes.by, parts_.by);
  if (wishes.horizon > 0 && wishes.horizon != parts_.horizon) {
    return differs("--horizon", std::to_string(wishes.horizon), std::to_string(parts_.horizon));
  }
  return "";
}

}  // namespace splitgp::table
