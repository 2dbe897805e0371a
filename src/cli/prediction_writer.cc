#include "cli/prediction_writer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/scores.h"
#include "io/number.h"

namespace splitgp {
namespace {

// A cell of text as JSON: a number if it is one.
nlohmann::ordered_json json_cell(const std::string& cell) {
  double number = 0.0;
  if (!parse_number(cell, '.', number)) return number;
  return cell;
}

}  // namespace

PredictionWriter::PredictionWriter(bool json, std::vector<std::string> kept,
                                   const std::vector<std::string>& outputs)
    : json_(json), kept_(std::move(kept)) {
  constexpr std::array kParts{"mean", "sd", "lower", "upper"};
  const bool named = outputs.size() > 1 || std::any_of(kept_.begin(), kept_.end(), [&](auto& name) {
                       return std::find(kParts.begin(), kParts.end(), name) != kParts.end();
                     });
  for (const std::string& output : outputs) {
    for (const char* part : kParts) added_.push_back(named ? output + "_" + part : part);
  }
}

std::string PredictionWriter::header() const {
  if (json_) return "";
  CsvLine line;
  for (const std::string& name : kept_) line.add(name);
  for (const std::string& name : added_) line.add(name);
  return line.take();
}

std::string PredictionWriter::line(const std::vector<std::string>& cells,
                                   const Eigen::VectorXd& mean, const Eigen::VectorXd& sd) const {
  std::vector<double> values;
  for (Eigen::Index o = 0; o < mean.size(); ++o) {
    const double half = kInterval95 * sd(o);
    values.insert(values.end(), {mean(o), sd(o), mean(o) - half, mean(o) + half});
  }
  if (!json_) {
    CsvLine line;
    for (const std::string& cell : cells) line.add(cell);
    for (const double value : values) line.add(value);
    return line.take();
  }
  nlohmann::ordered_json object;
  for (std::size_t k = 0; k < cells.size(); ++k) object[kept_[k]] = json_cell(cells[k]);
  for (std::size_t k = 0; k < values.size(); ++k) object[added_[k]] = values[k];
  // Text of an unknown encoding is still written.
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace splitgp
