#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

#include "serve/protocol/number_table.h"

namespace splitgp::serve {

/// What a parser lets in, whatever the bytes say.
struct ParseLimits {
  std::size_t tensors = 2048;
  std::size_t rows = 100'000;
  std::size_t id_bytes = 128;
};

/// A tensor of the Open Inference Protocol: numbers, or texts (datatype BYTES).
struct Tensor {
  std::string name;
  NumberTable numbers;
  std::vector<std::string> texts;
  bool is_text = false;
};
/// Reads one of `inputs`. Binary data is taken from the front of `binary`. Throws RequestError.
Tensor read_tensor(simdjson::dom::object object, std::string_view& binary,
                   const ParseLimits& limits);

}  // namespace splitgp::serve
