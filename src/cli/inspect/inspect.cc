#include "cli/inspect/inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "cli/scores/score_table.h"
#include "io/printable.h"

namespace splitgp {

using json = nlohmann::ordered_json;

namespace {

std::string bytes(double count) {
  if (count < 1e6) return fmt::format("{:.1f} kB", count / 1e3);
  return count < 1e9 ? fmt::format("{:.1f} MB", count / 1e6)
                     : fmt::format("{:.2f} GB", count / 1e9);
}

std::string count(const json& number) { return with_separators(number.get<std::uint64_t>()); }
// Of an observation, as --predictions counts rows.
std::string from_1(const json& sequence) {
  return with_separators(sequence.get<std::uint64_t>() + 1);
}
std::string number(const json& value) {
  return value.is_null() ? "–" : short_number(value.get<double>());
}

std::string name_of(const json& column) { return printable(column["name"].get<std::string>()); }

// Spares the reader a look into the manual.
std::string kernel_in_words(const std::string& kernel) {
  if (kernel == "rbf") return "rbf (infinitely smooth)";
  if (kernel == "matern12") return "matern12 (rough: continuous, not differentiable)";
  if (kernel == "matern32") return "matern32 (once differentiable)";
  if (kernel == "matern52") return "matern52 (twice differentiable)";
  return kernel + " (smooth on many scales)";
}

void print_theta(const json& model) {
  fmt::print("\nHyperparameters, version {}: kernel {}\n", count(model["theta"]["version"]),
             kernel_in_words(model["theta"]["kernel"]));
  std::vector<json> inputs = model["columns"];
  std::stable_sort(inputs.begin(), inputs.end(), [](const json& a, const json& b) {
    return a["relevance"].get<double>() > b["relevance"].get<double>();
  });
  fmt::print("  {:<24}{:>10}{:>14}{:>12}\n", "column", "relevance", "length_scale", "spread");
  for (const json& input : inputs) {
    fmt::print("  {:<24}{:>8.1f} %{:>14}{:>12}\n", name_of(input),
               100.0 * input["relevance"].get<double>(), number(input["length_scale"]),
               number(input["spread"]));
  }
  fmt::print("  {:<24}{:>10}{:>14}{:>12}{:>12}\n", "output", "mean", "signal sd", "noise sd",
             "spread");
  for (const json& output : model["outputs"]) {
    fmt::print("  {:<24}{:>10}{:>14}{:>12}{:>12}\n", name_of(output), number(output["mean"]),
               number(output["signal_standard_deviation"]),
               number(output["noise_standard_deviation"]), number(output["spread"]));
  }
}

void print_range(const char* what, const json& items, const char* field) {
  std::vector<double> values;
  for (const json& item : items) values.push_back(item[field]);
  std::sort(values.begin(), values.end());
  const bool whole = items.front()[field].is_number_integer();
  const auto text = [whole](double value) {
    return whole ? with_separators(static_cast<std::uint64_t>(value)) : short_number(value);
  };
  fmt::print("  {:<24}{:>10} smallest {:>12} median {:>12} largest\n", what, text(values.front()),
             text(values[values.size() / 2]), text(values.back()));
}

// Numbers, and the hours of a time; codes and positions in a cycle tell a reader nothing.
std::vector<std::size_t> inputs_with_names(const json& model) {
  std::vector<std::size_t> result;
  for (const json& column : model["columns"]) {
    if (column["kind"] != "category") result.push_back(column["first_input"]);
  }
  return result;
}

void print_local_gps(const json& model, int most) {
  const json& all = model["local_gps"];
  fmt::print("\nLocal GPs: {}\n", count(all.size()));
  if (all.empty()) return;
  print_range("owned", all, "owned");
  print_range("borrowed", all, "borrowed");
  print_range("condition, at least", all, "condition");
  std::uint64_t jittered = 0;
  std::map<std::uint64_t, std::uint64_t> versions;
  for (const json& local : all) {
    jittered += local["jittered"].get<std::uint64_t>();
    ++versions[local["theta_version"].get<std::uint64_t>()];
  }
  fmt::print("  jitter was needed for {} points\n  with hyperparameters of version ",
             with_separators(jittered));
  std::vector<std::string> texts;
  for (const auto& [version, n] : versions) {
    texts.push_back(fmt::format("{}: {}", version, with_separators(n)));
  }
  fmt::print("{}\n", fmt::join(texts, ", "));

  // Where they lie.
  fmt::print("  {:<24}{:>12}{:>12}\n", "centers", "from", "to");
  const std::vector<std::size_t> shown = inputs_with_names(model);
  for (const std::size_t k : shown) {
    double low = all[0]["center"][k];
    double high = low;
    for (const json& local : all) {
      low = std::min(low, local["center"][k].get<double>());
      high = std::max(high, local["center"][k].get<double>());
    }
    fmt::print("  {:<24}{:>12}{:>12}\n", name_of(model["inputs"][k]), short_number(low),
               short_number(high));
  }

  std::vector<json> largest = all;
  std::stable_sort(largest.begin(), largest.end(), [](const json& a, const json& b) {
    return a["owned"].get<std::int64_t>() > b["owned"].get<std::int64_t>();
  });
  if (std::ssize(largest) > most) largest.resize(static_cast<std::size_t>(std::max(most, 0)));
  if (largest.empty()) return;
  fmt::print("  the largest{:>10}{:>11}{:>12}  center\n", "owned", "borrowed", "condition");
  for (const json& local : largest) {
    std::vector<std::string> center;
    for (const std::size_t k : shown) center.push_back(number(local["center"][k]));
    fmt::print("  {:>11}{:>10}{:>11}{:>12}  {}\n", count(local["local_gp"]), count(local["owned"]),
               count(local["borrowed"]), number(local["condition"]), fmt::join(center, ", "));
  }
}

void print_history(const json& model) {
  const json& splits = model["splits"];
  fmt::print("\nSplits: {}", count(splits.size()));
  if (!splits.empty()) {
    double uneven = 0.0;
    for (const json& split : splits) {
      const double a = split["parent_owned"];
      const double b = split["child_owned"];
      uneven += std::max(a, b) / (a + b) / static_cast<double>(splits.size());
    }
    fmt::print(
        "; the first at observation {}, the last at {}; the larger child got {:.0f} % on "
        "average",
        count(splits.front()["observation"]), count(splits.back()["observation"]), 100.0 * uneven);
  }
  const json& trainings = model["trainings"];
  fmt::print("\n\nTrainings: {}", count(trainings.size()));
  if (trainings.empty()) {
    fmt::print("\n");
    return;
  }
  const auto adopted = std::count_if(trainings.begin(), trainings.end(), [](const json& training) {
    return training["adopted"].get<bool>();
  });
  fmt::print("; {} found a θ worth adopting\n", count(static_cast<std::size_t>(adopted)));
  fmt::print("  {:>14}{:>10}{:>20}{:>12}{:>12}{:>10}\n", "observation", "used", "kernel",
             "objective", "was", "seconds");
  for (const json& training : trainings) {
    fmt::print("  {:>14}{:>10}{:>20}{:>12}{:>12}{:>10.2f}{}\n", count(training["observation"]),
               count(training["observations"]), training["kernel"].get<std::string>(),
               number(training["objective_after"]), number(training["objective_before"]),
               training["seconds"].get<double>(),
               training["adopted"].get<bool>() ? "" : "  not adopted");
  }
}

// Whom the next answer follows beside the local GPs.
void print_experts(const json& model) {
  if (model["experts"].empty()) return;
  fmt::print(
      "\nExperts: the share of the way that the next answer goes to each, where the local GPs "
      "are unsure\n");
  for (std::size_t o = 0; o < model["outputs"].size(); ++o) {
    const json& now = model["experts"][o];
    const auto share = [&](const char* name) {
      return fmt::format("{:.0f} %", 100.0 * now[name].get<double>());
    };
    fmt::print("  {:<24}last error {}, mean {}, last value {}, linear model {}\n",
               name_of(model["outputs"][o]), share("last_error"), share("mean"),
               share("last_value"), share("linear"));
  }
}

// Whether the stream is as the model expects, and where it has changed.
void print_drift(const json& model) {
  fmt::print("\nInnovations: the mean square of the last hundred or so, 1 if all is right\n");
  for (std::size_t o = 0; o < model["outputs"].size(); ++o) {
    const json& now = model["innovation"][o];
    const double square = now["mean_square"];
    std::size_t outside = 0;
    for (const json& local : model["local_gps"]) {
      const json& here = local["innovation"][o];
      const double value = here["mean_square"];
      if (value < here["lower"].get<double>() || value > here["upper"].get<double>()) ++outside;
    }
    fmt::print(
        "  {:<24}{:>10}, usually {:.2f} to {:.2f}{}; outside its band in {} of {} local GPs\n",
        name_of(model["outputs"][o]), short_number(square), now["lower"].get<double>(),
        now["upper"].get<double>(),
        square > now["upper"].get<double>()   ? ": too large"
        : square < now["lower"].get<double>() ? ": too small"
                                              : "",
        count(outside), count(model["local_gps"].size()));
  }
  fmt::print("Alarms: {}; outliers not learned: {}\n", count(model["n_alarms"]),
             count(model["outliers_rejected"]));
  const json& alarms = model["alarms"];
  constexpr std::size_t kMost = 10;
  if (alarms.empty()) return;
  fmt::print("  {:>12}{:>14}{:>8}{:>12}{:>10}{:>11}  region\n", "observation", "change since",
             "kind", "size", "in noise", "local GPs");
  for (std::size_t i = alarms.size() - std::min(alarms.size(), kMost); i < alarms.size(); ++i) {
    const json& alarm = alarms[i];
    std::vector<std::string> region;
    for (const std::size_t k : inputs_with_names(model)) {
      region.push_back(fmt::format("{} {} to {}", name_of(model["inputs"][k]),
                                   number(alarm["lower"][k]), number(alarm["upper"][k])));
    }
    fmt::print(
        "  {:>12}{:>14}{:>8}{:>12}{:>10.1f}{:>11}  {}{}\n", from_1(alarm["sequence"]),
        from_1(alarm["change_point"]), alarm["kind"].get<std::string>(), number(alarm["size"]),
        alarm["size_in_noise"].get<double>(), count(alarm["local_gps"]),
        model["outputs"].size() > 1 ? printable(alarm["output"].get<std::string>()) + " where "
                                    : std::string(),
        fmt::join(region, ", "));
  }
}

void print_text(const json& model, const InspectFlags& flags) {
  const bool forgot = model["seen"] != model["observations"];
  fmt::print("{}: {}{}, {}, {}, {}, {} in memory\n", flags.model,
             counted(model["observations"], "observation"),
             forgot ? fmt::format(" of {} seen", count(model["seen"])) : "",
             counted(model["inputs"].size(), "input"), counted(model["outputs"].size(), "output"),
             counted(model["local_gps"].size(), "local GP"),
             bytes(model["memory_bytes"].get<double>()));
  std::vector<std::string> options;
  for (const auto& [name, value] : model["options"].items()) {
    options.push_back(name + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  fmt::print("Options: {}\n", fmt::join(options, ", "));
  if (model.contains("stream")) {
    const json& stream = model["stream"];
    fmt::print("Rows: {} read, {} learned, {} rejected", count(stream["rows_read"]),
               count(stream["learned"]), count(stream["rejected"]));
    if (stream.value("predicted", 0) > 0) {
      fmt::print(", {} without a target", count(stream["predicted"]));
    }
    if (stream.value("early", 0) > 0) fmt::print(", {} too early", count(stream["early"]));
    fmt::print(", in {:.1f} s\n", stream["seconds"].get<double>());
  }
  print_theta(model);
  print_local_gps(model, flags.local_gps);
  print_history(model);
  print_experts(model);
  print_drift(model);
}

}  // namespace

int run_inspect(const InspectFlags& flags) {
  LoadedModel loaded = load(flags.model);
  const json model = describe(loaded);
  if (flags.json) {
    fmt::print("{}\n", model.dump(2, ' ', false, json::error_handler_t::replace));
  } else {
    print_text(model, flags);
  }
  return kSuccess;
}

}  // namespace splitgp
