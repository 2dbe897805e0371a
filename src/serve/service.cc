#include "serve/service.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <utility>

#include "serve/jobs/learn_job.h"
#include "serve/jobs/rows_job.h"
#include "serve/jobs/wait_job.h"
#include "serve/learner.h"
#include "serve/log.h"
#include "serve/metrics.h"
#include "serve/model_text.h"
#include "serve/predict_request.h"
#include "serve/protocol/infer.h"
#include "serve/protocol/json_writer.h"
#include "serve/protocol/tensor.h"
#include "serve/route.h"
#include "serve/snapshot.h"
#include "serve/workers.h"

namespace splitgp::serve {
namespace {

using http::Reply;
using http::Request;
using http::Response;
using RequestPointer = std::shared_ptr<const Request>;

constexpr std::size_t kMostTasks = 64;
constexpr const char* kNoModel = "there is no model yet: it begins with the first rows";

Response error_response(const RequestError& error) {
  Response response;
  response.status = error.status();
  response.body = error.to_json();
  if (error.status() == 429 || error.status() == 503) {
    response.headers.push_back({"Retry-After", "1"});
  }
  if (error.status() == 401) {
    response.headers.push_back({"WWW-Authenticate", "Bearer realm=\"splitgp\""});
  }
  return response;
}

// "text/csv; charset=utf-8" → "text/csv"
std::string_view media_type(const Request& request) {
  std::string_view type = request.header("Content-Type");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type;
}

std::optional<TableFormat> table_format(std::string_view type) {
  using http::same_ignoring_case;
  if (same_ignoring_case(type, "application/json")) return TableFormat::json;
  for (const char* const one :
       {"application/x-ndjson", "application/ndjson", "application/jsonl"}) {
    if (same_ignoring_case(type, one)) return TableFormat::ndjson;
  }
  if (same_ignoring_case(type, "text/csv")) return TableFormat::csv;
  return std::nullopt;
}

// A form of a foreign page has one of three types, none of which is taken.
std::optional<std::string> refuse_type(const Request& request, Route route) {
  const std::string_view coding = request.header("Content-Encoding");
  if (!coding.empty() && !http::same_ignoring_case(coding, "identity")) {
    return "Content-Encoding: a compressed body is not taken";
  }
  const std::string_view type = media_type(request);
  if (route == Route::rows) {
    if (table_format(type)) return std::nullopt;
    return "Content-Type must be application/json, application/x-ndjson or text/csv";
  }
  if (type.empty() || http::same_ignoring_case(type, "application/json") ||
      http::same_ignoring_case(type, "application/octet-stream")) {
    return std::nullopt;
  }
  return "Content-Type must be application/json, or application/octet-stream with binary tensors";
}

bool learns(const Request& request) { return request.parameter("learn") != "false"; }

// A parameter that is misspelt would otherwise be one that was not given.
std::optional<RequestError> refuse_query(const Request& request, const RouteFacts& facts) {
  if (facts.parameters == "*") return std::nullopt;
  const auto wrong = [](const std::string& key, std::string_view why) {
    return RequestError(400, fmt::format("the query's parameter {} {}", key.substr(0, 40), why))
        .field(key.substr(0, 40));
  };
  const std::string known = fmt::format(" {} ", facts.parameters);
  std::set<std::string> seen;
  for (const std::string& key : request.parameter_keys()) {
    if (key.empty() || known.find(" " + key + " ") == std::string::npos) {
      return wrong(key, facts.parameters.empty()
                            ? "is not known: there is none here"
                            : fmt::format("is not known: there are {}", facts.parameters));
    }
    if (!seen.insert(key).second) return wrong(key, "is there twice");
  }
  const std::string learn = request.parameter("learn");
  if (seen.contains("learn") && learn != "true" && learn != "false") {
    return RequestError(400, "learn must be true or false")
        .field("learn")
        .value(learn.substr(0, 40));
  }
  return std::nullopt;
}

std::optional<std::size_t> json_bytes(const Request& request) {
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
Reply with_share(Reply reply, std::shared_ptr<const void> share) {
  return [reply = std::move(reply), share = std::move(share)](Response response) {
    response.share = share;
    reply(std::move(response));
  };
}

Response json_response(std::string body) {
  Response response;
  response.body = std::move(body);
  response.headers.push_back({"Cache-Control", "no-store"});
  return response;
}

}  // namespace

struct Service::Impl {
  Impl(ServiceSettings given, Learner& its_learner, Metrics& its_metrics, Log& its_log,
       PageSource* its_page)
      : settings(std::move(given)),
        learner(its_learner),
        metrics(its_metrics),
        log(its_log),
        page(its_page),
        room(settings.answers),
        workers(settings.workers, kMostTasks) {
    limits.rows = settings.rows_a_request;
    table_limits.rows = settings.rows_a_request;
  }

  ServiceSettings settings;
  Learner& learner;
  Metrics& metrics;
  Log& log;
  PageSource* page;
  AnswerRoom room;
  ParseLimits limits;
  TableLimits table_limits;
  std::atomic<const http::Server*> server{nullptr};
  std::atomic<bool> copying{false};    // a snapshot is being made
  std::atomic<bool> reporting{false};  // a report is being made
  Workers workers;                     // ends before what its tasks use

  std::optional<RequestError> refusal(const Request& head) const;
  void dispatch(const RoutedPath& path, const RequestPointer& request, const Reply& reply);
  void infer(const RequestPointer& request, const Reply& reply);
  void learn(const RequestPointer& request, const Reply& reply);
  void rows(const RequestPointer& request, const Reply& reply);
  void report(const Reply& reply);
  void snapshot(const Reply& reply);
  void submit(std::unique_ptr<Job> job);
  void later(const Reply& reply, std::function<Response()> task, std::atomic<bool>* alone);
  Response asset(const Request& request, std::string_view name);
  Response live_map(const Request& request);
  void allow_origin(const Request& request, Response& response) const;
  void require_scope(const Request& request, Scope scope) const;
};

Service::Service(ServiceSettings settings, Learner& learner, Metrics& metrics, Log& log,
                 PageSource* page)
    : impl_(std::make_unique<Impl>(std::move(settings), learner, metrics, log, page)) {}
Service::~Service() = default;

void Service::set_server(const http::Server* server) { impl_->server = server; }
void Service::join() { impl_->workers.join(); }
void Service::began() { impl_->metrics.began(); }

void Service::finished(const Request& request, const http::Outcome& outcome) {
  impl_->metrics.finished(route_of(request.path).route, outcome.status, outcome.seconds);
  impl_->log.request(request, outcome);
}

Response Service::error(int status, const std::string& message) {
  return error_response(RequestError(status, message));
}

std::optional<RequestError> Service::Impl::refusal(const Request& head) const {
  const auto refuse = [](const Refusal& why) { return RequestError(why.status, why.message); };
  if (const auto stranger = refuse_stranger(head, settings.security)) return refuse(*stranger);
  const RoutedPath path = route_of(head.path);
  if (path.route == Route::unknown) return RequestError(404, "there is nothing here");
  const RouteFacts& facts = facts_of(path.route);
  if (facts.scope != Scope::none) {
    if (const auto foreign = refuse_foreign_page(head, settings.security)) return refuse(*foreign);
  }
  const bool reads = head.method == "GET" || head.method == "HEAD" || head.method == "OPTIONS";
  if (reads && head.announces_body()) {
    return RequestError(400, fmt::format("{} has no body", head.method));
  }
  if (head.method == "OPTIONS") return std::nullopt;
  const bool right_method =
      facts.post ? head.method == "POST" : head.method == "GET" || head.method == "HEAD";
  if (!right_method) {
    return RequestError(405, fmt::format("only {} is answered here", facts.post ? "POST" : "GET"));
  }
  Scope scope = facts.scope;
  if (path.route == Route::rows && learns(head)) scope = Scope::learn;
  if (const auto missing = refuse_scope(head, settings.security, scope)) return refuse(*missing);
  if (!path.model.empty() && path.model != settings.model_name) {
    return RequestError(404, "there is no model of this name").value(path.model.substr(0, 100));
  }
  if (const auto wrong = refuse_query(head, facts)) return wrong;
  if (facts.post) {
    if (const auto type = refuse_type(head, path.route)) return RequestError(415, *type);
  }
  return std::nullopt;
}

std::optional<Response> Service::refuse(const Request& head) {
  const std::optional<RequestError> error = impl_->refusal(head);
  if (!error) return std::nullopt;
  Response response = error_response(*error);
  if (error->status() == 405) {
    const bool post = facts_of(route_of(head.path).route).post;
    response.headers.push_back({"Allow", post ? "POST, OPTIONS" : "GET, HEAD, OPTIONS"});
  }
  impl_->allow_origin(head, response);
  return response;
}

// Pages of other origins may ask only if that was asked for.
void Service::Impl::allow_origin(const Request& request, Response& response) const {
  if (settings.security.origins.empty()) return;
  response.headers.push_back({"Vary", "Origin"});
  const std::string_view origin = request.header("Origin");
  for (const std::string& one : settings.security.origins) {
    if (!http::same_ignoring_case(one, origin)) continue;
    response.headers.push_back({"Access-Control-Allow-Origin", one});
    if (request.method != "OPTIONS") return;
    response.headers.push_back({"Access-Control-Allow-Methods", "GET, POST"});
    response.headers.push_back({"Access-Control-Allow-Headers",
                                "Authorization, Content-Type, Inference-Header-Content-Length"});
    response.headers.push_back({"Access-Control-Max-Age", "600"});
    return;
  }
}

void Service::Impl::require_scope(const Request& request, Scope scope) const {
  if (const auto missing = refuse_scope(request, settings.security, scope)) {
    throw RequestError(missing->status, missing->message);
  }
}

void Service::handle(RequestPointer request, Reply reply) {
  if (!impl_->settings.security.origins.empty()) {
    reply = [this, request, inner = std::move(reply)](Response response) {
      impl_->allow_origin(*request, response);
      inner(std::move(response));
    };
  }
  try {
    impl_->dispatch(route_of(request->path), request, reply);
  } catch (const RequestError& error) {
    reply(error_response(error));
  } catch (const std::exception&) {
    reply(error(500, "the request failed inside the server"));
  }
}

void Service::Impl::dispatch(const RoutedPath& path, const RequestPointer& request,
                             const Reply& reply) {
  if (request->method == "OPTIONS") {
    Response response;
    response.status = 204;
    response.content_type = "";
    const bool post = facts_of(path.route).post;
    response.headers.push_back({"Allow", post ? "POST, OPTIONS" : "GET, HEAD, OPTIONS"});
    return reply(std::move(response));
  }
  const auto require_model = [this] {
    if (!learner.has_model()) throw RequestError(503, kNoModel);
  };
  const auto require_page = [this] {
    if (page == nullptr) throw RequestError(404, "this server has no page");
  };
  switch (path.route) {
    case Route::health_live:
      return reply(json_response("{\"live\":true}"));
    case Route::health_ready:
      require_model();
      return reply(json_response("{\"ready\":true}"));
    case Route::model_ready:
      require_model();
      return reply(json_response(
          fmt::format("{{\"name\":{},\"ready\":true}}", json_string(settings.model_name))));
    case Route::server:
      return reply(json_response(server_json()));
    case Route::model: {
      require_model();
      std::string text;
      learner.read_all(
          [&](const ServedModel& model) { text = model_json(model, settings.model_name); });
      return reply(json_response(std::move(text)));
    }
    case Route::infer:
      return infer(request, reply);
    case Route::learn:
      return learn(request, reply);
    case Route::rows:
      return rows(request, reply);
    case Route::forget:
      return submit(
          std::make_unique<ForgetJob>(parse_forget(request->body), settings.model_name, reply));
    case Route::report:
      require_model();
      return report(reply);
    case Route::snapshot:
      require_model();
      return snapshot(reply);
    case Route::metrics: {
      Response response =
          json_response(metrics_text(metrics, learner, server, settings.model_path));
      response.content_type = "text/plain; version=0.0.4; charset=utf-8";
      return reply(std::move(response));
    }
    case Route::page:
    case Route::asset:
      require_page();
      return reply(asset(*request, path.detail));
    case Route::live_state:
      require_page();
      return reply(json_response(page->state_json()));
    case Route::live_map:
      require_page();
      return later(
          reply, [this, request] { return live_map(*request); }, nullptr);
    case Route::live_events: {
      require_page();
      Response response;
      response.content_type = "text/event-stream";
      response.headers.push_back({"Cache-Control", "no-store"});
      response.events = true;
      response.body = "retry: 2000\n\nevent: tick\ndata: " + page->tick_json() + "\n\n";
      return reply(std::move(response));
    }
    case Route::unknown:
      break;
  }
  throw RequestError(404, "there is nothing here");
}

// A job that is not taken is answered here: its reply is inside it.
void Service::Impl::submit(std::unique_ptr<Job> job) {
  switch (learner.submit(job)) {
    case Learner::Taken::yes:
      return;
    case Learner::Taken::full:
      return job->fail(429, "too many rows wait to be learned; repeat the request later");
    case Learner::Taken::stopping:
      return job->fail(503, "the server is stopping");
    case Learner::Taken::failing:
      return job->fail(503, "earlier rows cannot be written to the disk; repeat the request later");
  }
}

void Service::Impl::later(const Reply& reply, std::function<Response()> task,
                          std::atomic<bool>* alone) {
  if (alone != nullptr && alone->exchange(true)) {
    throw RequestError(429, "one such request is being answered already; repeat it later");
  }
  const bool taken = workers.submit([reply, task = std::move(task), alone] {
    Response response;
    try {
      response = task();
    } catch (const RequestError& error) {
      response = error_response(error);
    } catch (const std::exception&) {
      response = error_response(RequestError(500, "the request failed inside the server"));
    }
    if (alone != nullptr) *alone = false;
    reply(std::move(response));
  });
  if (taken) return;
  if (alone != nullptr) *alone = false;
  throw RequestError(429, "too many large requests at once; repeat the request later");
}

void Service::Impl::infer(const RequestPointer& request, const Reply& given) {
  auto parsed =
      std::make_shared<TensorRequest>(parse_tensors(request->body, json_bytes(*request), limits));
  if (!learner.has_model()) throw RequestError(503, kNoModel);
  auto prediction = std::make_shared<PredictRequest>(*parsed, learner, settings.rows_at_once);
  const Reply reply = with_share(given, room.take(prediction->answer_size()));
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

void Service::Impl::learn(const RequestPointer& request, const Reply& reply) {
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

void Service::Impl::rows(const RequestPointer& request, const Reply& given) {
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
  const Reply reply =
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
    return json_response(results_json(settings.model_name, results, unknown));
  };
  if (std::ssize(parsed->table.rows) <= settings.rows_at_once) return reply(predict());
  later(reply, predict, nullptr);
}

void Service::Impl::report(const Reply& reply) {
  if (!settings.report) throw RequestError(404, "this server writes no report");
  later(
      reply,
      [this] {
        Response response = json_response(settings.report());
        response.content_type = "text/html; charset=utf-8";
        // It has its scripts inside, so it runs without an origin: it cannot ask this server.
        response.policy =
            "sandbox allow-scripts allow-downloads; default-src 'none'; script-src "
            "'unsafe-inline'; "
            "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'";
        return response;
      },
      &reporting);
}

void Service::Impl::snapshot(const Reply& reply) {
  later(
      reply,
      [this] {
        Response response;
        response.content_type = "application/vnd.sqlite3";
        response.headers.push_back({"Cache-Control", "no-store"});
        response.headers.push_back(
            {"Content-Disposition", "attachment; filename=\"model.splitgp\""});
        try {
          response.file = make_snapshot(settings.model_path);
        } catch (const FileError&) {
          throw RequestError(503, "the copy could not be made; the disk may be full");
        }
        return response;
      },
      &copying);
}

Response Service::Impl::asset(const Request& request, std::string_view name) {
  const std::optional<Asset> found = page->asset(name);
  if (!found) throw RequestError(404, "there is no such asset");
  Response response;
  response.content_type = std::string(found->content_type);
  response.headers.push_back({"ETag", std::string(found->etag)});
  response.headers.push_back({"Cache-Control", "no-cache"});
  if (request.header("If-None-Match") == found->etag) {
    response.status = 304;
    return response;
  }
  if (found->gzipped) response.headers.push_back({"Content-Encoding", "gzip"});
  response.fixed_body = found->bytes;
  return response;
}

Response Service::Impl::live_map(const Request& request) {
  const std::string text = request.parameter("inputs");
  Eigen::Index first = 0, second = 0;
  const char* const end = text.data() + text.size();
  const auto one = std::from_chars(text.data(), end, first);
  bool sound = one.ec == std::errc() && one.ptr != end && *one.ptr == ',';
  if (sound) {
    const auto other = std::from_chars(one.ptr + 1, end, second);
    sound = other.ec == std::errc() && other.ptr == end && first >= 0 && second >= 0;
  }
  if (!sound) {
    throw RequestError(422, "inputs must be two numbers from 0 on, such as inputs=0,1")
        .field("inputs")
        .value(text.substr(0, 40));
  }
  try {
    return json_response(page->map_json(first, second));
  } catch (const InvalidArgument& error) {
    throw RequestError(422, error.what()).field("inputs");
  }
}

}  // namespace splitgp::serve
