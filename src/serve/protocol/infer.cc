#include "serve/protocol/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "serve/protocol/json_writer.h"
#include "serve/protocol/request_error.h"

namespace splitgp::serve {
namespace {

constexpr std::array<std::string_view, 4> kUsual{"mean", "sd", "lower", "upper"};
constexpr std::array<std::string_view, 7> kOutputs{
    "mean", "sd", "lower", "upper", "z", "mean_gradient", "variance_gradient"};

// One output's numbers, row after row.
struct OutputTensor {
  std::string_view name;
  bool binary;
  Eigen::MatrixXd values;  // one column for each row of the request
};

std::vector<OutputWish> wished(const TensorRequest& request) {
  if (!request.outputs.empty()) return request.outputs;
  std::vector<OutputWish> usual;
  for (const std::string_view name : kUsual) {
    usual.push_back({std::string(name), request.binary_outputs});
  }
  return usual;
}

Eigen::MatrixXd deviation_of(const Prediction& prediction) {
  return (prediction.variance + prediction.noise_variance).cwiseSqrt();
}

}  // namespace

InferWishes wishes_of(const TensorRequest& request) {
  InferWishes wishes;
  std::set<std::string_view> asked;
  for (const OutputWish& wish : request.outputs) {
    if (!asked.insert(wish.name).second) {
      throw RequestError(422, fmt::format("outputs: {} is asked for twice", wish.name))
          .field("outputs")
          .value(wish.name);
    }
    if (std::find(kOutputs.begin(), kOutputs.end(), wish.name) == kOutputs.end()) {
      throw RequestError(422, fmt::format("outputs: there is no output {}; there are mean, sd, "
                                          "lower, upper, z, mean_gradient, variance_gradient",
                                          wish.name))
          .field("outputs")
          .value(wish.name);
    }
    if (wish.name.ends_with("_gradient")) wishes.gradient = true;
    if (wish.name == "z") wishes.z = true;
  }
  if (wishes.z && request.find("y") == nullptr && !request.y.given) {
    throw RequestError(422, "z needs what was observed: an input y").field("y");
  }
  return wishes;
}

Eigen::MatrixXd inputs_of(const TensorRequest& request, Eigen::Index inputs,
                          const std::vector<std::string>& names) {
  if (request.x.given) return to_columns(request.x, inputs, "x");
  if (const Tensor* x = request.find("x"); x != nullptr && !x->is_text) {
    // A model whose input is itself called x may be meant either way: the same thing.
    return to_columns(x->numbers, inputs, "x");
  }
  Eigen::MatrixXd all;
  for (Eigen::Index k = 0; k < inputs; ++k) {
    const std::string name =
        names.empty() ? std::to_string(k + 1) : names[static_cast<std::size_t>(k)];
    const Tensor* tensor = request.find(name);
    if (tensor == nullptr || tensor->is_text) {
      throw RequestError(
          422, fmt::format("inputs: neither x, of {} columns, nor {} is there", inputs, name))
          .field(name);
    }
    const Eigen::MatrixXd column = to_columns(tensor->numbers, 1, name);
    if (k == 0) all.resize(inputs, column.cols());
    if (column.cols() != all.cols()) {
      throw RequestError(
          422, fmt::format("{}: {} rows; the first input has {}", name, column.cols(), all.cols()))
          .field(name);
    }
    all.row(k) = column.row(0);
  }
  return all;
}

Eigen::MatrixXd observed_of(const TensorRequest& request, Eigen::Index outputs, Eigen::Index rows) {
  const Tensor* const tensor = request.find("y");
  if (tensor == nullptr && !request.y.given) return {};
  NumberTable table = request.y.given ? request.y : tensor->numbers;
  // A list is as many rows as there are inputs, if that fits.
  if (!table.rows && std::ssize(table.values) == outputs * rows) {
    table.rows = static_cast<std::size_t>(rows);
  }
  Eigen::MatrixXd observed = to_columns(table, outputs, "y");
  if (observed.cols() != rows) {
    throw RequestError(422, fmt::format("y: {} rows; x has {}", observed.cols(), rows)).field("y");
  }
  return observed;
}

http::Response infer_response(const TensorRequest& request, const std::string& model_name,
                              const Prediction& prediction, const PredictionGradient* gradient,
                              const Eigen::MatrixXd& observed) {
  std::vector<OutputTensor> outputs;
  Interval interval;
  for (const OutputWish& wish : wished(request)) {
    OutputTensor output{wish.name, wish.binary, {}};
    if (wish.name == "mean") {
      output.values = prediction.mean;
    } else if (wish.name == "sd") {
      output.values = deviation_of(prediction);
    } else if (wish.name == "z") {
      output.values = (observed - prediction.mean).cwiseQuotient(deviation_of(prediction));
    } else if (wish.name == "mean_gradient") {
      output.values = gradient->mean_gradient;
    } else if (wish.name == "variance_gradient") {
      output.values = gradient->variance_gradient;
    } else {
      if (interval.lower.cols() == 0) prediction.interval(request.level, interval);
      output.values = wish.name == "lower" ? interval.lower : interval.upper;
    }
    // Names outlive the request: they are those of kOutputs.
    output.name = *std::find(kOutputs.begin(), kOutputs.end(), wish.name);
    outputs.push_back(std::move(output));
  }

  http::Response response;
  std::string& text = response.body;
  text.reserve(static_cast<std::size_t>(prediction.mean.size()) * 80 + 400);
  const Eigen::Index n_outputs = prediction.mean.rows();
  JsonWriter json(text);
  json.begin_object().key("model_name").text(model_name).key("model_version").text("1");
  if (!request.id.empty()) json.key("id").text(request.id);
  json.key("outputs").begin_array();
  bool binary = false;
  for (const OutputTensor& output : outputs) {
    json.begin_object().key("name").text(output.name).key("datatype").text("FP64");
    json.key("shape").begin_array().integer(output.values.cols());
    json.integer(n_outputs);
    if (output.values.rows() != n_outputs) json.integer(output.values.rows() / n_outputs);
    json.end_array();
    if (output.binary) {
      binary = true;
      json.key("parameters").begin_object().key("binary_data_size");
      json.count(static_cast<std::uint64_t>(output.values.size()) * sizeof(double)).end_object();
    } else {
      json.key("data").numbers(
          {output.values.data(), static_cast<std::size_t>(output.values.size())});
    }
    json.end_object();
  }
  json.end_array().end_object();
  if (!binary) return response;
  response.content_type = "application/octet-stream";
  response.headers.push_back({"Inference-Header-Content-Length", std::to_string(text.size())});
  for (const OutputTensor& output : outputs) {
    if (!output.binary) continue;
    text.append(reinterpret_cast<const char*>(output.values.data()),
                static_cast<std::size_t>(output.values.size()) * sizeof(double));
  }
  return response;
}

}  // namespace splitgp::serve
