#include "serve/request_checks.h"

#include <fmt/format.h>

#include <set>

namespace splitgp::serve {
namespace {

// A form of a foreign page has one of three types, none of which is taken.
std::optional<std::string> refuse_type(const http::Request& request, Route route) {
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

// A parameter that is misspelt would otherwise be one that was not given.
std::optional<RequestError> refuse_query(const http::Request& request, const RouteFacts& facts) {
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

}  // namespace

std::string_view media_type(const http::Request& request) {
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

bool learns(const http::Request& request) { return request.parameter("learn") != "false"; }

std::optional<RequestError> judge_head(const http::Request& head, const SecuritySettings& security,
                                       const std::string& model_name) {
  const auto refuse = [](const Refusal& why) { return RequestError(why.status, why.message); };
  if (const auto stranger = refuse_stranger(head, security)) return refuse(*stranger);
  const RoutedPath path = route_of(head.path);
  if (path.route == Route::unknown) return RequestError(404, "there is nothing here");
  const RouteFacts& facts = facts_of(path.route);
  if (facts.scope != Scope::none) {
    if (const auto foreign = refuse_foreign_page(head, security)) return refuse(*foreign);
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
  if (const auto missing = refuse_scope(head, security, scope)) return refuse(*missing);
  if (!path.model.empty() && path.model != model_name) {
    return RequestError(404, "there is no model of this name").value(path.model.substr(0, 100));
  }
  if (const auto wrong = refuse_query(head, facts)) return wrong;
  if (facts.post) {
    if (const auto type = refuse_type(head, path.route)) return RequestError(415, *type);
  }
  return std::nullopt;
}

}  // namespace splitgp::serve
