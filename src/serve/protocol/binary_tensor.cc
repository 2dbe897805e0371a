#include "serve/protocol/binary_tensor.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "serve/protocol/request_error.h"

namespace splitgp::serve {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are sent little-endian");

template <typename Number>
void append_as(std::string_view bytes, std::vector<double>& to) {
  for (std::size_t i = 0; i + sizeof(Number) <= bytes.size(); i += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + i, sizeof number);
    to.push_back(static_cast<double>(number));
  }
}

}  // namespace

std::size_t bytes_of(std::string_view datatype) {
  if (datatype == "BOOL" || datatype == "INT8" || datatype == "UINT8") return 1;
  if (datatype == "INT16" || datatype == "UINT16") return 2;
  if (datatype == "INT32" || datatype == "UINT32" || datatype == "FP32") return 4;
  if (datatype == "INT64" || datatype == "UINT64" || datatype == "FP64") return 8;
  return 0;
}

void read_binary_numbers(std::string_view bytes, std::string_view datatype,
                         std::vector<double>& to) {
  to.reserve(bytes.size() / bytes_of(datatype));
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

void read_binary_texts(std::string_view bytes, std::size_t most, const std::string& name,
                       std::vector<std::string>& to) {
  while (!bytes.empty()) {
    std::uint32_t length = 0;
    if (bytes.size() < sizeof length || to.size() >= most) break;
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes.remove_prefix(sizeof length);
    if (length > bytes.size()) break;
    to.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
    if (bytes.empty()) return;
  }
  if (!bytes.empty() || to.size() != most) {
    throw RequestError(400, fmt::format("{}: its bytes are not the texts its shape has", name))
        .field(name);
  }
}

}  // namespace splitgp::serve
