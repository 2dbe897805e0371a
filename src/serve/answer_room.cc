#include "serve/answer_room.h"

#include <fmt/format.h>

#include <algorithm>

#include "serve/protocol/request_error.h"

namespace splitgp::serve {
namespace {

constexpr std::size_t kBytesInText = 25;  // of a number, with its comma
constexpr std::size_t kNumbersOfPrediction = 5;
// Mean, sd, lower, upper and z of an output, and of an earlier row whose target came; names, an id.
constexpr std::size_t kNumbersOfResult = 10;
constexpr std::size_t kBytesOfResult = 300;
constexpr std::size_t kEnvelope = 4096;

std::size_t megabytes(std::size_t bytes) { return (bytes + 999'999) / 1'000'000; }

}  // namespace

AnswerSize infer_size(const TensorRequest& request, Eigen::Index rows, Eigen::Index inputs,
                      Eigen::Index outputs) {
  const auto values = static_cast<std::size_t>(rows * outputs);
  const auto width = static_cast<std::size_t>(inputs);
  AnswerSize size{kEnvelope, kNumbersOfPrediction * values};
  bool gradient = false;
  const auto add = [&](std::string_view name, bool binary) {
    const bool derivative = name.ends_with("_gradient");
    const std::size_t count = values * (derivative ? width : 1);
    gradient = gradient || derivative;
    size.text += count * (binary ? sizeof(double) : kBytesInText);
    size.numbers += count;
  };
  for (const OutputWish& wish : request.outputs) add(wish.name, wish.binary);
  if (request.outputs.empty()) {
    for (int i = 0; i < 4; ++i) add("", request.binary_outputs);
  }
  // Both derivatives are made, whichever is asked for.
  if (gradient) size.numbers += 2 * values * width;
  return size;
}

AnswerSize results_size(std::size_t rows, Eigen::Index outputs) {
  const auto width = static_cast<std::size_t>(std::max<Eigen::Index>(outputs, 1));
  const std::size_t text =
      rows * (kBytesOfResult + kNumbersOfResult * kBytesInText * width) + kEnvelope;
  return {text, text / sizeof(double)};  // the results, and the text that is made of them
}

std::shared_ptr<const void> AnswerRoom::take(const AnswerSize& size) {
  if (size.text > limits_.one) {
    throw RequestError(413, fmt::format("the answer would have up to {} MB; at most {}: ask for "
                                        "fewer rows or outputs at once",
                                        megabytes(size.text), megabytes(limits_.one)));
  }
  const std::size_t bytes = size.text + size.numbers * sizeof(double);
  const std::size_t before = held_->fetch_add(bytes);
  std::shared_ptr<const void> share(held_.get(),
                                    [held = held_, bytes](const void*) { *held -= bytes; });
  // One alone is let in, however much it computes with.
  if (before > 0 && before + bytes > limits_.all) {
    throw RequestError(429, "too much is being answered at once; repeat the request later");
  }
  return share;
}

}  // namespace splitgp::serve
