#include "serve/protocol/forget_request.h"

#include <fmt/format.h>

#include "serve/protocol/json_value.h"
#include "serve/protocol/request_error.h"

namespace splitgp::serve {

namespace dom = simdjson::dom;

ForgetRequest parse_forget(std::string_view body) {
  const JsonDocument document(body);
  ForgetRequest request;
  for (const auto [key, value] : document.object()) {
    if (key == "before") {
      request.before = read_count(value, "before");
    } else if (key == "sequences") {
      dom::array list;
      if (value.get(list) != simdjson::SUCCESS)
        refuse_json("a list of numbers", "sequences", value);
      for (const dom::element item : list) {
        request.sequences.push_back(read_count(item, "sequences"));
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

}  // namespace splitgp::serve
