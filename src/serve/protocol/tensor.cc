#include "serve/protocol/tensor.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "serve/protocol/request_error.h"

namespace splitgp::serve {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kDepth = 16;
constexpr std::size_t kKeptCapacity = std::size_t{1} << 20;
constexpr double kLargest = 1e150;

// Parsing into memory that is kept from request to request, unless one was large.
class Document {
 public:
  explicit Document(std::string_view text) {
    if (parser().capacity() > kKeptCapacity) parser() = dom::parser();
    if (text.size() > parser().capacity() || parser().max_depth() != kDepth) {
      const auto size = std::max<std::size_t>(text.size(), 4096);
      if (parser().allocate(size, kDepth) != simdjson::SUCCESS) {
        throw RequestError(413, "the request is too large");
      }
    }
    dom::element element;
    const auto error = parser().parse(text.data(), text.size()).get(element);
    if (error == simdjson::DEPTH_ERROR) {
      throw RequestError(400, fmt::format("the JSON is nested deeper than {}", kDepth));
    }
    if (error != simdjson::SUCCESS) {
      throw RequestError(400, std::string("not JSON: ") + simdjson::error_message(error));
    }
    if (element.get(object_) != simdjson::SUCCESS) {
      throw RequestError(400, "the request is not a JSON object");
    }
  }
  const dom::object& object() const { return object_; }

 private:
  static dom::parser& parser() {
    thread_local dom::parser kept;
    return kept;
  }
  dom::object object_;
};

std::string shown(dom::element value) {
  std::string text = simdjson::minify(value);
  if (text.size() > 60) text = text.substr(0, 57) + "…";
  return text;
}

[[noreturn]] void expected(std::string_view what, std::string_view field, dom::element value) {
  throw RequestError(400, fmt::format("{} must be {}", field, what))
      .field(std::string(field))
      .value(shown(value));
}

std::string text_of(dom::element value, std::string_view field) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) expected("a text", field, value);
  return std::string(text);
}

bool flag_of(dom::element value, std::string_view field) {
  bool flag = false;
  if (value.get(flag) != simdjson::SUCCESS) expected("true or false", field, value);
  return flag;
}

std::uint64_t count_of(dom::element value, std::string_view field) {
  std::uint64_t count = 0;
  if (value.get(count) != simdjson::SUCCESS) expected("a number from 0 on", field, value);
  return count;
}

double number_of(dom::element value, std::string_view field, std::size_t row) {
  double number = 0.0;
  if (value.get(number) == simdjson::SUCCESS) return number;  // integers too
  bool flag = false;
  if (value.get(flag) == simdjson::SUCCESS) return flag ? 1.0 : 0.0;
  throw RequestError(422, fmt::format("{}: row {}: {} is not a number", field, row, shown(value)))
      .field(std::string(field))
      .row(row)
      .value(shown(value));
}

// [1, 2] is a list; [[1, 2], [3, 4]] are rows of equal length; 5 is a list of one.
NumberTable numbers_of(dom::element value, std::string_view field) {
  NumberTable table;
  table.given = true;
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) {
    table.values.push_back(number_of(value, field, 0));
    return table;
  }
  std::size_t row = 0, width = 0;
  bool nested = false;
  for (const dom::element item : list) {
    dom::array inner;
    const bool is_row = item.get(inner) == simdjson::SUCCESS;
    if (row == 0) nested = is_row;
    if (is_row != nested) expected("rows of numbers, or numbers", field, item);
    if (!nested) {
      table.values.push_back(number_of(item, field, row++));
      continue;
    }
    std::size_t count = 0;
    for (const dom::element number : inner) {
      table.values.push_back(number_of(number, field, row));
      ++count;
    }
    if (row == 0) width = count;
    if (count != width) {
      throw RequestError(
          422, fmt::format("{}: row {} has {} values; the first has {}", field, row, count, width))
          .field(std::string(field))
          .row(row);
    }
    ++row;
  }
  if (nested) table.rows = row;
  return table;
}

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
    tensor.texts.push_back(text_of(value, field));
  } else {
    tensor.numbers.values.push_back(number_of(value, field, have));
  }
}

std::size_t size_of(std::string_view datatype) {
  if (datatype == "BOOL" || datatype == "INT8" || datatype == "UINT8") return 1;
  if (datatype == "INT16" || datatype == "UINT16") return 2;
  if (datatype == "INT32" || datatype == "UINT32" || datatype == "FP32") return 4;
  if (datatype == "INT64" || datatype == "UINT64" || datatype == "FP64") return 8;
  return 0;
}

static_assert(std::endian::native == std::endian::little, "tensors are sent little-endian");

template <typename Number>
void append_as(std::string_view bytes, std::vector<double>& to) {
  for (std::size_t i = 0; i + sizeof(Number) <= bytes.size(); i += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + i, sizeof number);
    to.push_back(static_cast<double>(number));
  }
}

void read_binary_numbers(std::string_view bytes, std::string_view datatype,
                         std::vector<double>& to) {
  to.reserve(bytes.size() / size_of(datatype));
  if (datatype == "FP64") return append_as<double>(bytes, to);
  if (datatype == "FP32") return append_as<float>(bytes, to);
  if (datatype == "INT64") return append_as<std::int64_t>(bytes, to);
  if (datatype == "UINT64") return append_as<std::uint64_t>(bytes, to);
  if (datatype == "INT32") return append_as<std::int32_t>(bytes, to);
  if (datatype == "UINT32") return append_as<std::uint32_t>(bytes, to);
  if (datatype == "INT16") return append_as<std::int16_t>(bytes, to);
  if (datatype == "UINT16") return append_as<std::uint16_t>(bytes, to);
  if (datatype == "INT8") return append_as<std::int8_t>(bytes, to);
  append_as<std::uint8_t>(bytes, to);
}

// Each text has four bytes of length before it.
void read_binary_texts(std::string_view bytes, std::size_t most, Tensor& tensor) {
  while (!bytes.empty()) {
    std::uint32_t length = 0;
    if (bytes.size() < sizeof length || tensor.texts.size() >= most) break;
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes.remove_prefix(sizeof length);
    if (length > bytes.size()) break;
    tensor.texts.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
    if (bytes.empty()) return;
  }
  if (!bytes.empty() || tensor.texts.size() != most) {
    throw RequestError(400,
                       fmt::format("{}: its bytes are not the texts its shape has", tensor.name))
        .field(tensor.name);
  }
}

struct Shape {
  std::size_t rows = 1;
  std::size_t elements = 1;
  std::size_t dimensions = 0;
};

Shape shape_of(dom::element value, const std::string& field, const ParseLimits& limits) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) expected("a list of sizes", field + ".shape", value);
  constexpr std::size_t kMost = std::size_t{1} << 28;
  Shape shape;
  for (const dom::element item : list) {
    const std::uint64_t size = count_of(item, field + ".shape");
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

Tensor tensor_of(dom::object object, std::string_view& binary, const ParseLimits& limits) {
  Tensor tensor;
  std::string datatype;
  std::optional<dom::element> shape_value, data;
  std::optional<std::uint64_t> binary_size;
  for (const auto [key, value] : object) {
    if (key == "name") {
      tensor.name = text_of(value, "inputs.name");
    } else if (key == "datatype") {
      datatype = text_of(value, "inputs.datatype");
    } else if (key == "shape") {
      shape_value = value;
    } else if (key == "data") {
      data = value;
    } else if (key == "parameters") {
      dom::object parameters;
      if (value.get(parameters) != simdjson::SUCCESS) {
        expected("an object", "inputs.parameters", value);
      }
      for (const auto [name, parameter] : parameters) {
        if (name == "binary_data_size") {
          binary_size = count_of(parameter, "inputs.parameters.binary_data_size");
        }
      }
    }
  }
  if (tensor.name.empty()) throw RequestError(400, "an input has no name").field("inputs.name");
  tensor.is_text = datatype == "BYTES";
  if (!tensor.is_text && size_of(datatype) == 0) {
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
      read_binary_texts(bytes, shape.elements, tensor);
    } else {
      if (bytes.size() != shape.elements * size_of(datatype)) {
        throw RequestError(422, fmt::format("{}: {} bytes; its shape needs {}", tensor.name,
                                            bytes.size(), shape.elements * size_of(datatype)))
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

void read_parameters(dom::element value, TensorRequest& request) {
  dom::object parameters;
  if (value.get(parameters) != simdjson::SUCCESS) expected("an object", "parameters", value);
  for (const auto [key, parameter] : parameters) {
    if (key == "binary_data_output") {
      request.binary_outputs = flag_of(parameter, "parameters.binary_data_output");
    } else if (key == "level") {
      request.level = number_of(parameter, "parameters.level", 0);
      if (!(request.level > 0.0 && request.level < 1.0)) {
        throw RequestError(422, "parameters.level must lie between 0 and 1")
            .field("parameters.level")
            .value(shown(parameter));
      }
    } else if (key == "wait") {
      request.wait = flag_of(parameter, "parameters.wait");
    }
  }
}

OutputWish wish_of(dom::element item, bool binary_by_default) {
  dom::object object;
  if (item.get(object) != simdjson::SUCCESS) expected("an object", "outputs", item);
  OutputWish wish;
  wish.binary = binary_by_default;
  for (const auto [key, value] : object) {
    if (key == "name") wish.name = text_of(value, "outputs.name");
    if (key != "parameters") continue;
    dom::object parameters;
    if (value.get(parameters) != simdjson::SUCCESS)
      expected("an object", "outputs.parameters", value);
    for (const auto [name, parameter] : parameters) {
      if (name == "binary_data") wish.binary = flag_of(parameter, "outputs.parameters.binary_data");
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
    expected("a text or a whole number", field, value);
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
  const Document document(json_bytes ? body.substr(0, *json_bytes) : body);
  TensorRequest request;
  std::optional<dom::array> inputs, outputs;
  for (const auto [key, value] : document.object()) {
    dom::array list;
    if (key == "id") {
      request.id = id_of(value, "id", 0, limits);
    } else if (key == "parameters") {
      read_parameters(value, request);
    } else if (key == "inputs") {
      if (value.get(list) != simdjson::SUCCESS) expected("a list", "inputs", value);
      inputs = list;
    } else if (key == "outputs") {
      if (value.get(list) != simdjson::SUCCESS) expected("a list", "outputs", value);
      outputs = list;
    } else if (key == "x") {
      request.x = numbers_of(value, "x");
    } else if (key == "y") {
      request.y = numbers_of(value, "y");
    } else if (key == "noise_variance") {
      request.noise_variance = numbers_of(value, "noise_variance");
    } else if (key == "time") {
      request.time = numbers_of(value, "time");
    } else if (key == "ids") {
      read_ids(value, request, limits);
    } else if (key == "level") {
      request.level = number_of(value, "level", 0);
      if (!(request.level > 0.0 && request.level < 1.0)) {
        throw RequestError(422, "level must lie between 0 and 1")
            .field("level")
            .value(shown(value));
      }
    } else {
      throw RequestError(400, fmt::format("the request has an unknown field {}", key))
          .field(std::string(key));
    }
  }
  if (inputs) {
    for (const dom::element item : *inputs) {
      dom::object object;
      if (item.get(object) != simdjson::SUCCESS) expected("an object", "inputs", item);
      if (request.inputs.size() >= limits.tensors) {
        throw RequestError(413, fmt::format("more than {} inputs", limits.tensors)).field("inputs");
      }
      request.inputs.push_back(tensor_of(object, binary, limits));
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

ForgetRequest parse_forget(std::string_view body) {
  const Document document(body);
  ForgetRequest request;
  for (const auto [key, value] : document.object()) {
    if (key == "before") {
      request.before = count_of(value, "before");
    } else if (key == "sequences") {
      dom::array list;
      if (value.get(list) != simdjson::SUCCESS) expected("a list of numbers", "sequences", value);
      for (const dom::element item : list) {
        request.sequences.push_back(count_of(item, "sequences"));
      }
    } else {
      throw RequestError(400, fmt::format("the request has an unknown field {}", key))
          .field(std::string(key));
    }
  }
  if (request.before.has_value() == !request.sequences.empty()) {
    throw RequestError(400, "forget needs either sequences or before");
  }
  return request;
}

Eigen::MatrixXd to_columns(const NumberTable& table, Eigen::Index columns, std::string_view field) {
  const auto width = static_cast<std::size_t>(columns);
  const std::size_t size = table.values.size();
  std::size_t rows = 0;
  if (table.rows) {
    rows = *table.rows;
  } else if (size == width) {
    rows = 1;
  } else if (width == 1) {
    rows = size;
  }
  if (rows == 0 || rows * width != size) {
    throw RequestError(
        422, fmt::format("{}: {} values{}; each row needs {}", field, size,
                         table.rows ? fmt::format(" in {} rows", *table.rows) : "", width))
        .field(std::string(field));
  }
  Eigen::MatrixXd result(columns, static_cast<Eigen::Index>(rows));
  for (std::size_t i = 0; i < size; ++i) {
    const double value = table.values[i];
    if (!(std::abs(value) <= kLargest)) {
      throw RequestError(422, fmt::format("{}: row {}, column {}: {} is not a finite number of at "
                                          "most 1e150",
                                          field, i / width, i % width, value))
          .field(std::string(field))
          .row(i / width)
          .value(fmt::format("{}", value));
    }
    result.data()[i] = value;
  }
  return result;
}

}  // namespace splitgp::serve
