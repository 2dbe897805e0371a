#include "serve/predict_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "serve/protocol/request_error.h"

namespace splitgp::serve {
namespace {

void append(Matrix& all, const Matrix& piece, Eigen::Index first, Eigen::Index rows) {
  if (piece.cols() == 0) return;
  if (all.cols() != rows) all.resize(piece.rows(), rows);
  all.middleCols(first, piece.cols()) = piece;
}

// A list is one value for each row.
Eigen::VectorXd list_of(const NumberTable& table, Eigen::Index rows, std::string_view field) {
  if (!table.given) return {};
  const Eigen::MatrixXd values = to_columns(table, 1, field);
  if (values.cols() != rows) {
    throw RequestError(422, fmt::format("{}: {} values; y has {} rows", field, values.cols(), rows))
        .field(std::string(field));
  }
  return values.row(0).transpose();
}

const NumberTable& table_named(const TensorRequest& request, const NumberTable& brief,
                               std::string_view name) {
  if (brief.given) return brief;
  const Tensor* const tensor = request.find(name);
  if (tensor != nullptr && tensor->is_text) {
    throw RequestError(422, fmt::format("{} must be numbers", name)).field(std::string(name));
  }
  return tensor == nullptr ? brief : tensor->numbers;
}

}  // namespace

PredictRequest::PredictRequest(const TensorRequest& request, Learner& learner, Eigen::Index at_once)
    : request_(request), learner_(learner), at_once_(at_once), wishes_(wishes_of(request)) {
  Eigen::Index inputs = 0, outputs = 0;
  std::vector<std::string> names;
  learner.read_all([&](const ServedModel& model) {
    inputs = model.file.model().n_inputs();
    outputs = model.file.model().n_outputs();
    if (!request.x.given && request.find("x") == nullptr) names = model.recipe.input_names();
  });
  x_ = inputs_of(request, inputs, names);
  observed_ = observed_of(request, outputs, x_.cols());
  size_ = infer_size(request, x_.cols(), inputs, outputs);
  const Eigen::Index aheads = std::ssize(request.ahead);
  if (aheads != 1 && aheads != x_.cols()) {
    throw RequestError(422,
                       fmt::format("parameters.ahead: {} values; x has {} rows", aheads, x_.cols()))
        .field("parameters.ahead");
  }
}

Ahead PredictRequest::ahead(Eigen::Index first, Eigen::Index count) const {
  if (request_.ahead.size() == 1) return {request_.ahead.front()};
  return {request_.ahead.data() + first, count};
}

void PredictRequest::predict(PredictionGradient& all) const {
  const Eigen::Index rows = x_.cols();
  PredictionGradient piece;
  for (Eigen::Index first = 0; first < rows; first += at_once_) {
    const Eigen::Index count = std::min(at_once_, rows - first);
    PredictionGradient& to = rows <= at_once_ ? all : piece;
    learner_.read_all([&](const ServedModel& model) {
      if (wishes_.gradient) {
        model.file.model().predict_gradient(x_.middleCols(first, count), to, ahead(first, count));
      } else {
        model.file.model().predict(x_.middleCols(first, count), to, ahead(first, count));
      }
    });
    if (&to == &all) return;
    append(all.mean, piece.mean, first, rows);
    append(all.variance, piece.variance, first, rows);
    append(all.noise_variance, piece.noise_variance, first, rows);
    append(all.degrees_of_freedom, piece.degrees_of_freedom, first, rows);
    append(all.conformal_half_widths, piece.conformal_half_widths, first, rows);
    append(all.mean_gradient, piece.mean_gradient, first, rows);
    append(all.variance_gradient, piece.variance_gradient, first, rows);
  }
}

http::Response PredictRequest::answer(const std::string& model_name) {
  PredictionGradient prediction;
  predict(prediction);
  return infer_response(request_, model_name, prediction, &prediction, observed_);
}

LearnRows learn_rows_of(const TensorRequest& request, Eigen::Index inputs, Eigen::Index outputs,
                        const std::vector<std::string>& names) {
  LearnRows rows;
  rows.level = request.level;
  rows.ids = request.ids;
  // {"id": "a", "y": 3}: one row's label.
  if (!request.has_ids && !request.id.empty()) rows.ids = {request.id};
  const NumberTable& x = table_named(request, request.x, "x");
  NumberTable y = table_named(request, request.y, "y");
  if (!y.given) throw RequestError(422, "y is missing: there is nothing to learn").field("y");
  const bool by_name =
      !x.given && std::any_of(request.inputs.begin(), request.inputs.end(), [&](const Tensor& one) {
        return std::find(names.begin(), names.end(), one.name) != names.end();
      });
  if (inputs == 0) {
    // The first rows of a new model.
    inputs = x.rows && *x.rows > 0 ? std::ssize(x.values) / static_cast<std::ptrdiff_t>(*x.rows)
                                   : std::ssize(x.values);
    const std::size_t n = x.rows.value_or(1);
    outputs = y.rows && *y.rows > 0 ? std::ssize(y.values) / static_cast<std::ptrdiff_t>(*y.rows)
              : n > 0               ? std::ssize(y.values) / static_cast<std::ptrdiff_t>(n)
                                    : 0;
    if (!x.given || inputs < 1 || outputs < 1) {
      throw RequestError(422, "x: a new model begins with rows that have x and y").field("x");
    }
  }
  Eigen::Index count = 0;
  if (x.given || by_name) {
    rows.x = inputs_of(request, inputs, names);
    count = rows.x.cols();
  } else {
    count = std::ssize(rows.ids);
    if (count == 0) {
      throw RequestError(422, "x is missing; labels of rows that wait need their ids").field("x");
    }
  }
  if (!y.rows && std::ssize(y.values) == outputs * count) y.rows = static_cast<std::size_t>(count);
  rows.y = to_columns(y, outputs, "y");
  if (rows.y.cols() != count) {
    throw RequestError(422, fmt::format("y: {} rows; {} has {}", rows.y.cols(),
                                        rows.x.cols() > 0 ? "x" : "ids", count))
        .field("y");
  }
  if (!rows.ids.empty() && std::ssize(rows.ids) != count) {
    throw RequestError(422, fmt::format("ids: {} of them; y has {} rows", rows.ids.size(), count))
        .field("ids");
  }
  rows.noise_variance = list_of(table_named(request, request.noise_variance, "noise_variance"),
                                count, "noise_variance");
  for (Eigen::Index i = 0; i < rows.noise_variance.size(); ++i) {
    if (rows.noise_variance(i) < 0.0) {
      throw RequestError(
          422, fmt::format("noise_variance: row {}: {} is negative", i, rows.noise_variance(i)))
          .field("noise_variance")
          .row(static_cast<std::uint64_t>(i))
          .value(fmt::format("{}", rows.noise_variance(i)));
    }
  }
  rows.time = list_of(table_named(request, request.time, "time"), count, "time");
  return rows;
}

}  // namespace splitgp::serve
