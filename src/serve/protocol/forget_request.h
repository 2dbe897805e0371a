#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace splitgp::serve {

/// The body of `forget`: {"sequences": [1, 2]} or {"before": 10}.
struct ForgetRequest {
  std::vector<std::uint64_t> sequences;
  std::optional<std::uint64_t> before;
};
/// Throws RequestError.
ForgetRequest parse_forget(std::string_view body);

}  // namespace splitgp::serve
