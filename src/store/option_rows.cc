#include "store/option_rows.h"

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/options/option_table.h"
#include "core/options/validate.h"
#include "splitgp/error.h"
#include "store/number_list.h"
#include "store/table_rows.h"

namespace splitgp::store {
namespace {

// The rows of table option. What is written and what is read cannot differ: both go through here.
// Calls visit(name, value, the first format that has it).
template <typename AnyOptions, typename AnyHyperparameters, typename Visitor>
void each_row(AnyOptions& options, AnyHyperparameters& theta, Visitor&& visit) {
  each_option([&](const OptionEntry& entry, auto of) {
    visit(std::string(entry.name), of(options), entry.since);
  });
  each_fixed([&](std::string_view name, auto member) {
    visit("fixed." + std::string(name), options.fixed.*member, 1u);
  });
  each_hyperparameter([&](const OptionEntry& entry, auto member) {
    visit("hyperparameters." + std::string(entry.name), theta.*member, entry.since);
  });
}

// A row of format 1 without meaning: a starting θ has no version.
constexpr std::string_view kVersionRow = "hyperparameters.version";

template <typename Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<Value>) {
    return std::string(to_string(value));
  } else if constexpr (std::integral<Value>) {
    return std::to_string(value);
  } else {
    return to_text(value);
  }
}

// False if the text is not such a value.
template <typename Value>
bool read_value(std::string_view name, std::string_view text, Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    value = text == "true";
    return value || text == "false";
  } else if constexpr (std::is_enum_v<Value>) {
    value = parse<Value>(name, text);
    return true;
  } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
    const std::optional<std::vector<int>> numbers = to_integers(text);
    if (numbers) value = *numbers;
    return numbers.has_value();
  } else if constexpr (std::is_same_v<Value, Vector>) {
    const std::optional<Eigen::VectorXd> numbers = to_vector(text);
    if (numbers) value = *numbers;
    return numbers.has_value();
  } else {
    const std::optional<Value> number = to_number<Value>(text);
    if (number) value = *number;
    return number.has_value();
  }
}

// What a model of an older format did about the options it did not have yet.
void set_newer_options(std::uint32_t format, Options& options) {
  if (format < 5) options.experts = false;
  if (format >= 2) return;
  options.capacity = options.split_limit;  // it did not borrow
  options.calibration = Calibration::none;
  options.surprise = false;
  options.trend = Trend::none;
}

}  // namespace

void write_options(Database& database, const Options& options, const Hyperparameters& starting) {
  TableWriter rows(database, "option", 3, TableWriter::Same::fails);
  each_row(options, starting, [&](const std::string& name, const auto& value, std::uint32_t) {
    const std::string text = text_of(value);
    rows.add(name).add(text).write();
  });
  rows.add(kVersionRow).add("0").write();
}

Options read_options(const Database& database, std::uint32_t format) {
  std::map<std::string, std::string, std::less<>> texts;
  TableReader rows(database, "option", "name");
  while (rows.next()) {
    std::string name(rows.text());
    if (!texts.emplace(std::move(name), rows.text()).second) rows.fail("it appears twice");
    rows.end_row();
  }
  Options options;
  Hyperparameters theta;
  try {
    each_row(options, theta, [&](const std::string& name, auto& value, std::uint32_t since) {
      const auto at = texts.find(name);
      if (at == texts.end() && since > format) return;
      if (at == texts.end()) throw damaged(database.path(), "option " + name + " is missing");
      if (!read_value(name, at->second, value)) {
        throw damaged(database.path(), "option " + name + " is \"" + at->second + "\"");
      }
      texts.erase(at);
    });
    set_newer_options(format, options);
    options = complete(std::move(options));
  } catch (const InvalidArgument& error) {
    throw damaged(database.path(), error.what());
  }
  options.hyperparameters = std::move(theta);
  texts.erase(std::string(kVersionRow));
  // An unknown option might change what the model means.
  if (!texts.empty()) {
    throw damaged(database.path(), "option " + texts.begin()->first + " is unknown");
  }
  return options;
}

}  // namespace splitgp::store
