// Rows that are predicted or learned.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "serve/jobs/learn_job.h"
#include "serve/jobs/rows_job.h"
#include "serve/jobs/wait_job.h"
#include "serve/predict_request.h"
#include "serve/protocol/infer.h"
#include "serve/request_checks.h"
#include "serve/service_impl.h"

namespace splitgp::serve {
namespace {

std::optional<std::size_t> json_bytes(const http::Request& request) {
  const std::string_view text = request.header("Inference-Header-Content-Length");
  if (text.empty()) return std::nullopt;
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw RequestError(400, "Inference-Header-Content-Length is not a number")
        .field("Inference-Header-Content-Length")
        .value(std::string(text.substr(0, 40)));
  }
  return bytes;
}

// The answer takes its share with it.
http::Reply with_share(http::Reply reply, std::shared_ptr<const void> share) {
  return [reply = std::move(reply), share = std::move(share)](http::Response response) {
    response.share = share;
    reply(std::move(response));
  };
}

}  // namespace

void Service::Impl::infer(const RequestPointer& request, const http::Reply& given) {
  auto parsed =
      std::make_shared<TensorRequest>(parse_tensors(request->body, json_bytes(*request), limits));
  if (!learner.has_model()) throw RequestError(503, kNoModel);
  auto prediction = std::make_shared<PredictRequest>(*parsed, learner, settings.rows_at_once);
  const http::Reply reply = with_share(given, room.take(prediction->answer_size()));
  metrics.add_predictions(static_cast<std::uint64_t>(prediction->rows()));
  if (parsed->wait && !parsed->has_ids && !parsed->id.empty()) {
    parsed->ids = {parsed->id};
    parsed->has_ids = true;
  }
  if (parsed->wait && !parsed->has_ids) {
    throw RequestError(422, "rows that wait for their labels need ids").field("ids");
  }
  if (parsed->has_ids) {
    require_scope(*request, Scope::learn);
    if (std::ssize(parsed->ids) != prediction->rows()) {
      throw RequestError(422, fmt::format("ids: {} of them; x has {} rows", parsed->ids.size(),
                                          prediction->rows()))
          .field("ids");
    }
    if (wishes_of(*parsed).gradient) {
      throw RequestError(422, "gradients are not answered to rows with ids").field("outputs");
    }
    return submit(std::make_unique<WaitJob>(std::move(*parsed), prediction->take_inputs(),
                                            settings.model_name, reply));
  }
  if (prediction->rows() <= settings.rows_at_once) {
    return reply(prediction->answer(settings.model_name));
  }
  later(
      reply, [this, parsed, prediction] { return prediction->answer(settings.model_name); },
      nullptr);
}

void Service::Impl::learn(const RequestPointer& request, const http::Reply& reply) {
  const TensorRequest parsed = parse_tensors(request->body, json_bytes(*request), limits);
  Eigen::Index inputs = 0, outputs = 0;
  std::vector<std::string> names;
  learner.read_all([&](const ServedModel& model) {
    inputs = model.file.model().n_inputs();
    outputs = model.file.model().n_outputs();
    names = model.recipe.input_names();
  });
  LearnRows rows = learn_rows_of(parsed, inputs, outputs, names);
  const AnswerSize size = results_size(static_cast<std::size_t>(rows.y.cols()), rows.y.rows());
  submit(std::make_unique<LearnJob>(std::move(rows), settings.model_name,
                                    with_share(reply, room.take(size))));
}

void Service::Impl::rows(const RequestPointer& request, const http::Reply& given) {
  auto parsed = std::make_shared<RowsRequest>();
  parsed->table = parse_table(request->body, *table_format(media_type(*request)), table_limits);
  if (const std::string name = request->parameter("id"); !name.empty()) {
    const std::vector<std::string>& columns = parsed->table.columns;
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) {
      throw RequestError(422, fmt::format("id: there is no column {}", name))
          .field("id")
          .value(name);
    }
    parsed->id_column = static_cast<std::size_t>(found - columns.begin());
  }
  if (const auto text = request->given_parameter("level")) {
    const char* const last = text->data() + text->size();
    const auto [end, error] = std::from_chars(text->data(), last, parsed->level);
    if (error != std::errc() || end != last || !(parsed->level > 0.0 && parsed->level < 1.0)) {
      throw RequestError(422, "level must lie between 0 and 1")
          .field("level")
          .value(text->substr(0, 40));
    }
  }
  Eigen::Index outputs = 1;
  learner.read_all([&](const ServedModel& model) { outputs = model.file.model().n_outputs(); });
  const http::Reply reply =
      with_share(given, room.take(results_size(parsed->table.rows.size(), outputs)));
  if (learns(*request)) {
    return submit(std::make_unique<RowsJob>(std::move(*parsed), settings.model_name, reply));
  }
  if (!learner.has_model()) throw RequestError(503, kNoModel);
  metrics.add_predictions(parsed->table.rows.size());
  const auto predict = [this, parsed] {
    const std::size_t all = parsed->table.rows.size();
    const auto step = static_cast<std::size_t>(settings.rows_at_once);
    std::vector<std::string> results, unknown;
    for (std::size_t first = 0; first < all; first += step) {
      learner.read_all([&](const ServedModel& model) {
        if (first == 0) unknown = unknown_columns(*parsed, model);
        for (std::string& one : predict_rows(*parsed, first, std::min(step, all - first), model)) {
          results.push_back(std::move(one));
        }
      });
    }
    http::Response response = json_response(results_json(settings.model_name, results, unknown));
    response.status = status_of(results);
    return response;
  };
  if (std::ssize(parsed->table.rows) <= settings.rows_at_once) return reply(predict());
  later(reply, predict, nullptr);
}

}  // namespace splitgp::serve
