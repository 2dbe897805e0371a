#include "cli/predict/prediction_writer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/number.h"

namespace splitgp {
namespace {

// Text that is not UTF-8 is written with replacement characters.
std::string json_of(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A text cell as JSON: a number keeps its digits, because an id may have more than a double holds;
// anything else becomes a string.
std::string json_cell(const std::string& cell) {
  const std::string_view text = trimmed(cell);
  return is_json_number(text) ? std::string(text) : json_of(cell);
}

// A value from a line of JSON, which the reader did not validate.
std::string json_value(const std::string& value) {
  // Numbers beyond the range of a double are still valid JSON.
  return is_json_number(value) || nlohmann::json::accept(value) ? value : json_of(value);
}

}  // namespace

PredictionWriter::PredictionWriter(bool as_json, std::vector<std::string> kept,
                                   const std::vector<std::string>& outputs,
                                   const std::vector<std::string>& inputs)
    : json_(as_json), kept_(std::move(kept)) {
  constexpr std::array kParts{"mean", "sd", "lower", "upper"};
  const bool named = outputs.size() > 1 || std::any_of(kept_.begin(), kept_.end(), [&](auto& name) {
                       return std::find(kParts.begin(), kParts.end(), name) != kParts.end();
                     });
  for (const std::string& output : outputs) {
    for (const char* part : kParts) added_.push_back(named ? output + "_" + part : part);
  }
  for (const std::string& output : outputs) {
    for (const std::string& input : inputs) {
      std::string name = "d";
      added_.push_back(name.append(output).append("/d").append(input));
    }
  }
}

std::string PredictionWriter::header() const {
  if (json_) return "";
  CsvLine line;
  for (const std::string& name : kept_) line.add(name);
  for (const std::string& name : added_) line.add(name);
  return line.take();
}

std::vector<std::string> PredictionWriter::cells(const Row& row) const {
  std::vector<std::string> result(row.texts.begin(),
                                  row.texts.begin() + std::ssize(kept_));  // more may follow
  for (std::string& cell : result) {
    if (json_) cell = row.json_texts ? json_value(cell) : json_cell(cell);
  }
  return result;
}

std::string PredictionWriter::line(const std::vector<std::string>& cells,
                                   const Eigen::VectorXd& mean, const Eigen::VectorXd& sd,
                                   const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                                   const Eigen::VectorXd& gradient) const {
  std::vector<double> values;
  for (Eigen::Index o = 0; o < mean.size(); ++o) {
    values.insert(values.end(), {mean(o), sd(o), lower(o), upper(o)});
  }
  values.insert(values.end(), gradient.begin(), gradient.end());
  if (!json_) {
    CsvLine line;
    for (const std::string& cell : cells) line.add(cell);
    for (const double value : values) line.add(value);
    return line.take();
  }
  std::string object;
  const auto add = [&object](const std::string& name, const std::string& value) {
    object += (object.empty() ? '{' : ',') + json_of(name) + ':' + value;
  };
  for (std::size_t k = 0; k < cells.size(); ++k) {
    // Each key may appear only once, and the prediction takes precedence.
    const bool free = std::find(added_.begin(), added_.end(), kept_[k]) == added_.end();
    if (free) add(kept_[k], cells[k]);
  }
  for (std::size_t k = 0; k < values.size(); ++k) add(added_[k], json_of(values[k]));
  return object + "}\n";
}

}  // namespace splitgp
