#include "serve/service.h"

#include "serve/request_checks.h"
#include "serve/service_impl.h"

namespace splitgp::serve {

http::Response error_response(const RequestError& error) {
  http::Response response;
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

http::Response json_response(std::string body) {
  http::Response response;
  response.body = std::move(body);
  response.headers.push_back({"Cache-Control", "no-store"});
  return response;
}

Service::Service(ServiceSettings settings, Learner& learner, Metrics& metrics, Log& log,
                 PageSource* page)
    : impl_(std::make_unique<Impl>(std::move(settings), learner, metrics, log, page)) {}
Service::~Service() = default;

void Service::set_server(const http::Server* server) { impl_->server = server; }
void Service::join() { impl_->workers.join(); }
void Service::began() { impl_->metrics.began(); }

void Service::finished(const http::Request& request, const http::Outcome& outcome) {
  impl_->metrics.finished(route_of(request.path).route, outcome.status, outcome.seconds);
  impl_->log.request(request, outcome);
}

http::Response Service::error(int status, const std::string& message) {
  return error_response(RequestError(status, message));
}

std::optional<http::Response> Service::refuse(const http::Request& head) {
  const std::optional<RequestError> error =
      judge_head(head, impl_->settings.security, impl_->settings.model_name);
  if (!error) return std::nullopt;
  http::Response response = error_response(*error);
  if (error->status() == 405) {
    const bool post = facts_of(route_of(head.path).route).post;
    response.headers.push_back({"Allow", post ? "POST, OPTIONS" : "GET, HEAD, OPTIONS"});
  }
  impl_->allow_origin(head, response);
  return response;
}

// Pages of other origins may ask only if that was asked for.
void Service::Impl::allow_origin(const http::Request& request, http::Response& response) const {
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

void Service::Impl::require_scope(const http::Request& request, Scope scope) const {
  if (const auto missing = refuse_scope(request, settings.security, scope)) {
    throw RequestError(missing->status, missing->message);
  }
}

void Service::handle(std::shared_ptr<const http::Request> request, http::Reply reply) {
  if (!impl_->settings.security.origins.empty()) {
    reply = [this, request, inner = std::move(reply)](http::Response response) {
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

}  // namespace splitgp::serve
