#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/protocol/tensor.h"

namespace splitgp::serve {

struct OutputWish {
  std::string name;
  bool binary = false;
};

/// The body of `infer` and, as far as it has tensors, of `learn`.
struct TensorRequest {
  std::string id;  ///< Of the request; it is sent back.
  std::vector<Tensor> inputs;
  std::vector<OutputWish> outputs;
  bool binary_outputs = false;  ///< Where an output does not say.
  double level = 0.95;
  std::vector<double> ahead{1.0};  ///< One for all rows, or one for each; NaN is an unknown time.
  bool wait = false;               ///< The rows' labels will come later.
  // The short form of `learn`: {"x": …, "y": …, "ids": …}
  NumberTable x, y, noise_variance, time;
  std::vector<std::string> ids;
  bool has_ids = false;

  const Tensor* find(std::string_view name) const;
};

/// Reads a request. `json_bytes` is the header Inference-Header-Content-Length: the rest of the
/// body are binary tensors. A pure function of its arguments: throws RequestError, 400 if it is not
/// such a request, 422 if it contradicts itself.
TensorRequest parse_tensors(std::string_view body, std::optional<std::size_t> json_bytes,
                            const ParseLimits& limits);

}  // namespace splitgp::serve
