#include "serve/route.h"

#include <array>

namespace splitgp::serve {
namespace {

constexpr std::array<RouteFacts, kRoutes> kFacts{{
    {"/v2/health/live", false, Scope::none, "*"},
    {"/v2/health/ready", false, Scope::none, "*"},
    {"/v2", false, Scope::any},
    {"/v2/models/{}", false, Scope::any},
    {"/v2/models/{}/ready", false, Scope::none, "*"},
    {"/v2/models/{}/infer", true, Scope::predict},
    {"/v2/models/{}/learn", true, Scope::learn},
    {"/v2/models/{}/rows", true, Scope::predict, "id learn level"},
    {"/v2/models/{}/forget", true, Scope::admin},
    {"/v2/models/{}/report", false, Scope::predict},
    {"/v2/models/{}/snapshot", false, Scope::admin},
    {"/metrics", false, Scope::any},
    {"/", false, Scope::none, "*"},
    {"/assets/{}", false, Scope::none, "*"},
    {"/live/state", false, Scope::predict},
    {"/live/events", false, Scope::predict},
    {"/live/map", false, Scope::predict, "inputs"},
    {"other", false, Scope::none},
}};

// Takes the part before the next slash off `path`.
std::string_view next_part(std::string_view& path) {
  const std::size_t end = path.find('/');
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  return part;
}

Route model_route(std::string_view action) {
  for (const Route route : {Route::model_ready, Route::infer, Route::learn, Route::rows,
                            Route::forget, Route::report, Route::snapshot}) {
    if (facts_of(route).label.ends_with("/" + std::string(action))) return route;
  }
  return Route::unknown;
}

}  // namespace

const RouteFacts& facts_of(Route route) { return kFacts[static_cast<std::size_t>(route)]; }

RoutedPath route_of(std::string_view path) {
  for (const Route route : {Route::health_live, Route::health_ready, Route::server, Route::metrics,
                            Route::page, Route::live_state, Route::live_events, Route::live_map}) {
    if (path == facts_of(route).label) return {route, "", ""};
  }
  if (path == "/v2/") return {Route::server, "", ""};
  if (path.starts_with("/assets/")) return {Route::asset, "", std::string(path.substr(8))};
  constexpr std::string_view kModels = "/v2/models/";
  if (!path.starts_with(kModels)) return {};
  std::string_view rest = path.substr(kModels.size());
  RoutedPath result;
  result.model = std::string(next_part(rest));
  if (result.model.empty()) return {};
  if (rest.starts_with("versions/")) {
    next_part(rest);
    if (next_part(rest) != "1") return {};
  }
  if (rest.empty()) {
    result.route = Route::model;
    return result;
  }
  result.route = model_route(next_part(rest));
  if (!rest.empty()) result.route = Route::unknown;
  return result;
}

}  // namespace splitgp::serve
