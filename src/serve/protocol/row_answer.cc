#include "serve/protocol/row_answer.h"

#include <cmath>

#include "serve/protocol/json_writer.h"
#include "table/waiting_answer.h"

namespace splitgp::serve {
namespace {

void write_prediction(JsonWriter& json, const RowAnswer& answer) {
  const Prediction& prediction = *answer.prediction;
  const Eigen::Index outputs = prediction.mean.rows(), column = answer.column;
  json.key("mean").begin_array();
  for (Eigen::Index o = 0; o < outputs; ++o) json.number(prediction.mean(o, column));
  json.end_array();
  std::vector<double> sd(static_cast<std::size_t>(outputs)), half(sd.size());
  for (Eigen::Index o = 0; o < outputs; ++o) {
    const auto at = static_cast<std::size_t>(o);
    sd[at] = std::sqrt(prediction.variance(o, column) + prediction.noise_variance(o, column));
    half[at] = sd[at] * prediction.half_width(o, column, answer.level);
  }
  json.key("sd").numbers(sd);
  json.key("lower").begin_array();
  for (Eigen::Index o = 0; o < outputs; ++o) {
    json.number(prediction.mean(o, column) - half[static_cast<std::size_t>(o)]);
  }
  json.end_array().key("upper").begin_array();
  for (Eigen::Index o = 0; o < outputs; ++o) {
    json.number(prediction.mean(o, column) + half[static_cast<std::size_t>(o)]);
  }
  json.end_array();
  if (!answer.interval_known) json.key("interval_known").boolean(false);
}

}  // namespace

std::string RowAnswer::to_json() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  if (update != nullptr) {
    json.key("sequence");
    if (update->rejected) {
      json.null();
    } else {
      json.count(update->sequence);
    }
  }
  if (prediction != nullptr) write_prediction(json, *this);
  if (update != nullptr) {
    json.key("z").begin_array();
    for (const Innovation& one : update->innovation) json.number(one.z);
    json.end_array();
    json.key("local_gp").integer(update->record.local_gp);
    if (update->outlier) json.key("outlier").boolean(true);
    if (update->rejected) json.key("rejected").boolean(true);
    if (!update->alarms.empty()) json.key("alarms").count(update->alarms.size());
  }
  if (waiting) json.key("waiting").boolean(true);
  json.end_object();
  return text;
}

std::string rejected_json(std::string_view reason, std::string_view field) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("error").text(reason);
  if (!field.empty()) json.key("field").text(field);
  json.end_object();
  return text;
}

std::string with_id(std::string_view id, std::string_view object) {
  std::string text = "{\"id\":" + json_string(id);
  if (object.size() > 2) text += ',';
  return text.append(object.substr(1));
}

std::string marked_repeated(std::string_view object) {
  return std::string(object.substr(0, object.size() - 1)) + ",\"repeated\":true}";
}

std::vector<double> pack_said(const Prediction& prediction, Eigen::Index column, double level,
                              bool interval_known) {
  std::vector<double> said{level};
  const std::vector<double> packed =
      table::pack_answer(column_of(prediction, column), interval_known);
  said.insert(said.end(), packed.begin(), packed.end());
  return said;
}

bool unpack_said(const std::vector<double>& said, Eigen::Index outputs, Prediction& prediction,
                 double& level, bool& interval_known) {
  if (said.size() < 2) return false;
  level = said.front();
  interval_known =
      table::unpack_answer(std::vector<double>(said.begin() + 1, said.end()), outputs, prediction);
  return level > 0.0 && level < 1.0;
}

Prediction column_of(const Prediction& prediction, Eigen::Index column) {
  const auto part = [column](const Matrix& all) {
    return all.cols() == 0 ? Matrix() : Matrix(all.col(column));
  };
  Prediction one;
  one.mean = part(prediction.mean);
  one.variance = part(prediction.variance);
  one.noise_variance = part(prediction.noise_variance);
  one.degrees_of_freedom = part(prediction.degrees_of_freedom);
  one.conformal_half_widths = part(prediction.conformal_half_widths);
  return one;
}

void RowFingerprint::add_bytes(const char* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    hash_ = (hash_ ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3U;
  }
}

void RowFingerprint::add(double value) {
  value += 0.0;  // −0 is 0
  add_bytes(reinterpret_cast<const char*>(&value), sizeof value);
}

void RowFingerprint::add(std::string_view text) {
  add_bytes(text.data(), text.size());
  add_bytes("\0", 1);
}

}  // namespace splitgp::serve
