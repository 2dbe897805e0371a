#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "serve/protocol/tensor_request.h"

namespace splitgp::serve {

struct AnswerLimits {
  std::size_t one = std::size_t{128} * 1024 * 1024;  ///< Bytes of one answer.
  std::size_t all = std::size_t{512} * 1024 * 1024;  ///< What all hold until they have been sent.
};

/// What an answer takes: its text, and the numbers it is made of meanwhile.
struct AnswerSize {
  std::size_t text = 0;
  std::size_t numbers = 0;
};
/// Of `infer`. An upper bound, from the request alone.
AnswerSize infer_size(const TensorRequest& request, Eigen::Index rows, Eigen::Index inputs,
                      Eigen::Index outputs);
/// Of `learn` and `rows`.
AnswerSize results_size(std::size_t rows, Eigen::Index outputs);

/// Bounds the memory of answers before they are computed: a small request may ask for much.
/// Threads: any. Shares may outlive it.
class AnswerRoom {
 public:
  explicit AnswerRoom(const AnswerLimits& limits) : limits_(limits) {}
  /// Room for one answer, until the last copy of what is returned goes. Throws RequestError: 413 if
  /// the answer is too large, 429 if too much is being answered.
  std::shared_ptr<const void> take(const AnswerSize& size);

 private:
  AnswerLimits limits_;
  std::shared_ptr<std::atomic<std::size_t>> held_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace splitgp::serve
