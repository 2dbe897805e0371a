#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace splitgp::serve {

/// What a parser lets in, whatever the bytes say.
struct ParseLimits {
  std::size_t tensors = 2048;
  std::size_t rows = 100'000;
  std::size_t id_bytes = 128;
};

/// Numbers of a request, as they were sent: rows of columns, or a list that may be either.
struct NumberTable {
  std::vector<double> values;
  std::optional<std::size_t> rows;  ///< Unset: a plain list.
  bool given = false;
};

/// A tensor of the Open Inference Protocol: numbers, or texts (datatype BYTES).
struct Tensor {
  std::string name;
  NumberTable numbers;
  std::vector<std::string> texts;
  bool is_text = false;
};

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
  bool wait = false;  ///< The rows' labels will come later.
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

/// The body of `forget`: {"sequences": [1, 2]} or {"before": 10}.
struct ForgetRequest {
  std::vector<std::uint64_t> sequences;
  std::optional<std::uint64_t> before;
};
ForgetRequest parse_forget(std::string_view body);

/// Rows of `columns` numbers, row after row. A list is one row of as many columns, or rows of one
/// column. Throws RequestError that names the field, row and value, also for a value that is not
/// finite or beyond 1e150.
Eigen::MatrixXd to_columns(const NumberTable& table, Eigen::Index columns, std::string_view field);

}  // namespace splitgp::serve
