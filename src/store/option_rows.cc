#include "store/option_rows.h"

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/validate.h"
#include "splitgp/error.h"
#include "store/number_list.h"
#include "store/rows.h"

namespace splitgp::store {
namespace {

// What is written and what is read cannot differ: both go through here.
template <typename AnyOptions, typename Visitor>
void each_option(AnyOptions& options, Visitor&& visit) {
  visit("split_limit", options.split_limit);
  visit("kernel", options.kernel);
  visit("aggregation", options.aggregation);
  visit("neighbors", options.neighbors);
  visit("taper", options.taper);
  visit("inherit", options.inherit);
  visit("principal_direction", options.principal_direction);
  visit("split_space", options.split_space);
  visit("training", options.training);
  visit("training_observations", options.training_observations);
  visit("fixed.length_scale", options.fixed.length_scale);
  visit("fixed.signal_variance", options.fixed.signal_variance);
  visit("fixed.noise_variance", options.fixed.noise_variance);
  visit("fixed.shape", options.fixed.shape);
  visit("fixed.mean", options.fixed.mean);
  visit("fixed.output_scale", options.fixed.output_scale);
  visit("threads", options.threads);
  visit("seed", options.seed);
  visit("hyperparameters.kernel", options.hyperparameters.kernel);
  visit("hyperparameters.length_scale", options.hyperparameters.length_scale);
  visit("hyperparameters.signal_variance", options.hyperparameters.signal_variance);
  visit("hyperparameters.noise_variance", options.hyperparameters.noise_variance);
  visit("hyperparameters.shape", options.hyperparameters.shape);
  visit("hyperparameters.mean", options.hyperparameters.mean);
  visit("hyperparameters.output_scale", options.hyperparameters.output_scale);
  visit("hyperparameters.version", options.hyperparameters.version);
}

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

// False if the text is no such value.
template <typename Value>
bool read_value(std::string_view name, std::string_view text, Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    value = text == "true";
    return value || text == "false";
  } else if constexpr (std::is_enum_v<Value>) {
    value = parse<Value>(name, text);
    return true;
  } else if constexpr (std::is_same_v<Value, Eigen::VectorXd>) {
    const std::optional<Eigen::VectorXd> numbers = to_vector(text);
    if (numbers) value = *numbers;
    return numbers.has_value();
  } else {
    const std::optional<Value> number = to_number<Value>(text);
    if (number) value = *number;
    return number.has_value();
  }
}

}  // namespace

void write_options(Database& database, const Options& options) {
  RowWriter rows(database, "option", 3, RowWriter::Same::fails);
  each_option(options, [&](std::string_view name, const auto& value) {
    const std::string text = text_of(value);
    rows.add(name).add(text).write();
  });
}

Options read_options(const Database& database) {
  std::map<std::string, std::string, std::less<>> texts;
  RowReader rows(database, "option", "name");
  while (rows.next()) {
    std::string name(rows.text());
    if (!texts.emplace(std::move(name), rows.text()).second) rows.fail("it comes twice");
    rows.end_row();
  }
  Options options;
  try {
    each_option(options, [&](std::string_view name, auto& value) {
      const auto at = texts.find(name);
      if (at == texts.end()) {
        throw damaged(database.path(), "option " + std::string(name) + " is missing");
      }
      if (!read_value(name, at->second, value)) {
        throw damaged(database.path(), "option " + at->first + " is \"" + at->second + "\"");
      }
      texts.erase(at);
    });
    check_options(options);
  } catch (const InvalidArgument& error) {
    throw damaged(database.path(), error.what());
  }
  // An option we do not know would change the model behind our back.
  if (!texts.empty()) {
    throw damaged(database.path(), "option " + texts.begin()->first + " is unknown");
  }
  return options;
}

}  // namespace splitgp::store
