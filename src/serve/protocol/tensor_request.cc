#include "serve/protocol/tensor_request.h"

#include <fmt/format.h>

#include "serve/protocol/json_value.h"
#include "serve/protocol/request_error.h"
#include "splitgp/ahead.h"

namespace splitgp::serve {
namespace {

namespace dom = simdjson::dom;

// 1, null, or a list of these.
std::vector<double> read_ahead(dom::element value) {
  constexpr const char* kField = "parameters.ahead";
  std::vector<double> result;
  const auto add = [&](dom::element one) {
    result.push_back(one.is_null() ? Ahead::kUnknown : read_number(one, kField, result.size()));
    if (!(result.back() < 1.0)) return;
    throw RequestError(422, "parameters.ahead must be at least 1, or null for an unknown time")
        .field(kField)
        .value(json_excerpt(one));
  };
  dom::array list;
  if (value.get(list) == simdjson::SUCCESS) {
    for (const dom::element one : list) add(one);
  } else {
    add(value);
  }
  return result;
}

double read_level(dom::element value, const char* field) {
  const double level = read_number(value, field, 0);
  if (level > 0.0 && level < 1.0) return level;
  throw RequestError(422, fmt::format("{} must lie between 0 and 1", field))
      .field(field)
      .value(json_excerpt(value));
}

void read_parameters(dom::element value, TensorRequest& request) {
  dom::object parameters;
  if (value.get(parameters) != simdjson::SUCCESS) refuse_json("an object", "parameters", value);
  for (const auto [key, parameter] : parameters) {
    if (key == "binary_data_output") {
      request.binary_outputs = read_flag(parameter, "parameters.binary_data_output");
    } else if (key == "level") {
      request.level = read_level(parameter, "parameters.level");
    } else if (key == "ahead") {
      request.ahead = read_ahead(parameter);
    } else if (key == "wait") {
      request.wait = read_flag(parameter, "parameters.wait");
    }
  }
}

OutputWish wish_of(dom::element item, bool binary_by_default) {
  dom::object object;
  if (item.get(object) != simdjson::SUCCESS) refuse_json("an object", "outputs", item);
  OutputWish wish;
  wish.binary = binary_by_default;
  for (const auto [key, value] : object) {
    if (key == "name") wish.name = read_text(value, "outputs.name");
    if (key != "parameters") continue;
    dom::object parameters;
    if (value.get(parameters) != simdjson::SUCCESS)
      refuse_json("an object", "outputs.parameters", value);
    for (const auto [name, parameter] : parameters) {
      if (name == "binary_data")
        wish.binary = read_flag(parameter, "outputs.parameters.binary_data");
    }
  }
  return wish;
}

std::string id_of(dom::element value, std::string_view field, std::size_t row,
                  const ParseLimits& limits) {
  std::string_view text;
  std::string id;
  std::int64_t number = 0;
  if (value.get(text) == simdjson::SUCCESS) {
    id = text;
  } else if (value.get(number) == simdjson::SUCCESS) {
    id = std::to_string(number);
  } else {
    refuse_json("a text or a whole number", field, value);
  }
  if (id.empty() || id.size() > limits.id_bytes) {
    throw RequestError(422, fmt::format("{}: row {}: an id has 1 to {} bytes, not {}", field, row,
                                        limits.id_bytes, id.size()))
        .field(std::string(field))
        .row(row);
  }
  return id;
}

void read_ids(dom::element value, TensorRequest& request, const ParseLimits& limits) {
  request.has_ids = true;
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) {
    request.ids.push_back(id_of(value, "ids", 0, limits));
    return;
  }
  for (const dom::element item : list) {
    request.ids.push_back(id_of(item, "ids", request.ids.size(), limits));
  }
}

}  // namespace

const Tensor* TensorRequest::find(std::string_view name) const {
  for (const Tensor& tensor : inputs) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

TensorRequest parse_tensors(std::string_view body, std::optional<std::size_t> json_bytes,
                            const ParseLimits& limits) {
  if (json_bytes && *json_bytes > body.size()) {
    throw RequestError(400, "Inference-Header-Content-Length is more than the body has")
        .field("Inference-Header-Content-Length")
        .value(std::to_string(*json_bytes));
  }
  std::string_view binary = json_bytes ? body.substr(*json_bytes) : std::string_view();
  const JsonDocument document(json_bytes ? body.substr(0, *json_bytes) : body);
  TensorRequest request;
  std::optional<dom::array> inputs, outputs;
  for (const auto [key, value] : document.object()) {
    dom::array list;
    if (key == "id") {
      request.id = id_of(value, "id", 0, limits);
    } else if (key == "parameters") {
      read_parameters(value, request);
    } else if (key == "inputs") {
      if (value.get(list) != simdjson::SUCCESS) refuse_json("a list", "inputs", value);
      inputs = list;
    } else if (key == "outputs") {
      if (value.get(list) != simdjson::SUCCESS) refuse_json("a list", "outputs", value);
      outputs = list;
    } else if (key == "x") {
      request.x = read_number_table(value, "x");
    } else if (key == "y") {
      request.y = read_number_table(value, "y");
    } else if (key == "noise_variance") {
      request.noise_variance = read_number_table(value, "noise_variance");
    } else if (key == "time") {
      request.time = read_number_table(value, "time");
    } else if (key == "ids") {
      read_ids(value, request, limits);
    } else if (key == "level") {
      request.level = read_level(value, "level");
    } else {
      throw RequestError(400, fmt::format("the request has an unknown field {}", key))
          .field(std::string(key));
    }
  }
  if (inputs) {
    for (const dom::element item : *inputs) {
      dom::object object;
      if (item.get(object) != simdjson::SUCCESS) refuse_json("an object", "inputs", item);
      if (request.inputs.size() >= limits.tensors) {
        throw RequestError(413, fmt::format("more than {} inputs", limits.tensors)).field("inputs");
      }
      request.inputs.push_back(read_tensor(object, binary, limits));
    }
  }
  if (outputs) {
    for (const dom::element item : *outputs) {
      if (request.outputs.size() >= limits.tensors) {
        throw RequestError(413, fmt::format("more than {} outputs", limits.tensors))
            .field("outputs");
      }
      request.outputs.push_back(wish_of(item, request.binary_outputs));
    }
  }
  if (!binary.empty()) {
    throw RequestError(400, fmt::format("{} bytes after the last tensor", binary.size()));
  }
  if (const Tensor* ids = request.find("ids")) {
    if (!ids->is_text) throw RequestError(422, "ids must have the datatype BYTES").field("ids");
    request.has_ids = true;
    for (const std::string& id : ids->texts) {
      if (id.empty() || id.size() > limits.id_bytes) {
        throw RequestError(422, fmt::format("ids: row {}: an id has 1 to {} bytes, not {}",
                                            request.ids.size(), limits.id_bytes, id.size()))
            .field("ids")
            .row(request.ids.size());
      }
      request.ids.push_back(id);
    }
  }
  return request;
}

}  // namespace splitgp::serve
