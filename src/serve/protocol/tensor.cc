#include "serve/protocol/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "serve/protocol/binary_tensor.h"
#include "serve/protocol/json_value.h"
#include "serve/protocol/request_error.h"

namespace splitgp::serve {
namespace {

namespace dom = simdjson::dom;

// A tensor's data, which may be nested to any depth that the parser lets through.
void flatten(dom::element value, std::string_view field, Tensor& tensor, std::size_t most) {
  dom::array list;
  if (value.get(list) == simdjson::SUCCESS) {
    for (const dom::element item : list) flatten(item, field, tensor, most);
    return;
  }
  const std::size_t have = tensor.is_text ? tensor.texts.size() : tensor.numbers.values.size();
  if (have >= most) {
    throw RequestError(422, fmt::format("{}: more data than its shape has room for", field))
        .field(std::string(field));
  }
  if (tensor.is_text) {
    tensor.texts.push_back(read_text(value, field));
  } else {
    tensor.numbers.values.push_back(read_number(value, field, have));
  }
}

struct Shape {
  std::size_t rows = 1;
  std::size_t elements = 1;
  std::size_t dimensions = 0;
};

Shape shape_of(dom::element value, const std::string& field, const ParseLimits& limits) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) refuse_json("a list of sizes", field + ".shape", value);
  constexpr std::size_t kMost = std::size_t{1} << 28;
  Shape shape;
  for (const dom::element item : list) {
    const std::uint64_t size = read_count(item, field + ".shape");
    if (size > kMost || shape.elements * std::max<std::uint64_t>(size, 1) > kMost) {
      throw RequestError(413, fmt::format("{}: its shape is too large", field)).field(field);
    }
    if (shape.dimensions == 0) shape.rows = size;
    shape.elements *= size;
    ++shape.dimensions;
  }
  if (shape.dimensions > 1 && shape.rows > limits.rows) {
    throw RequestError(
        413, fmt::format("{}: {} rows; at most {} in one request", field, shape.rows, limits.rows))
        .field(field);
  }
  return shape;
}

}  // namespace

Tensor read_tensor(dom::object object, std::string_view& binary, const ParseLimits& limits) {
  Tensor tensor;
  std::string datatype;
  std::optional<dom::element> shape_value, data;
  std::optional<std::uint64_t> binary_size;
  for (const auto [key, value] : object) {
    if (key == "name") {
      tensor.name = read_text(value, "inputs.name");
    } else if (key == "datatype") {
      datatype = read_text(value, "inputs.datatype");
    } else if (key == "shape") {
      shape_value = value;
    } else if (key == "data") {
      data = value;
    } else if (key == "parameters") {
      dom::object parameters;
      if (value.get(parameters) != simdjson::SUCCESS) {
        refuse_json("an object", "inputs.parameters", value);
      }
      for (const auto [name, parameter] : parameters) {
        if (name == "binary_data_size") {
          binary_size = read_count(parameter, "inputs.parameters.binary_data_size");
        }
      }
    }
  }
  if (tensor.name.empty()) throw RequestError(400, "an input has no name").field("inputs.name");
  tensor.is_text = datatype == "BYTES";
  if (!tensor.is_text && bytes_of(datatype) == 0) {
    throw RequestError(422,
                       fmt::format("{}: datatype {} is not known here; numbers are FP64, FP32, "
                                   "INT… or UINT…, texts are BYTES",
                                   tensor.name, datatype))
        .field(tensor.name)
        .value(datatype);
  }
  if (!shape_value) throw RequestError(400, tensor.name + " has no shape").field(tensor.name);
  const Shape shape = shape_of(*shape_value, tensor.name, limits);
  if (binary_size.has_value() == data.has_value()) {
    throw RequestError(400, tensor.name + " needs either data or binary_data_size")
        .field(tensor.name);
  }
  if (binary_size) {
    if (*binary_size > binary.size()) {
      throw RequestError(
          400, fmt::format("{}: the body ends before its {} bytes", tensor.name, *binary_size))
          .field(tensor.name);
    }
    const std::string_view bytes = binary.substr(0, *binary_size);
    binary.remove_prefix(bytes.size());
    if (tensor.is_text) {
      if (shape.elements > bytes.size()) {
        throw RequestError(422, tensor.name + ": its bytes do not fill its shape")
            .field(tensor.name);
      }
      read_binary_texts(bytes, shape.elements, tensor.name, tensor.texts);
    } else {
      if (bytes.size() != shape.elements * bytes_of(datatype)) {
        throw RequestError(422, fmt::format("{}: {} bytes; its shape needs {}", tensor.name,
                                            bytes.size(), shape.elements * bytes_of(datatype)))
            .field(tensor.name);
      }
      read_binary_numbers(bytes, datatype, tensor.numbers.values);
    }
  } else {
    flatten(*data, tensor.name, tensor, shape.elements);
  }
  const std::size_t have = tensor.is_text ? tensor.texts.size() : tensor.numbers.values.size();
  if (have != shape.elements) {
    throw RequestError(
        422, fmt::format("{}: {} values; its shape needs {}", tensor.name, have, shape.elements))
        .field(tensor.name);
  }
  tensor.numbers.given = true;
  if (shape.dimensions > 1) tensor.numbers.rows = shape.rows;
  return tensor;
}

}  // namespace splitgp::serve
