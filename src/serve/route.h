#pragma once

#include <string>
#include <string_view>

namespace splitgp::serve {

enum class Route {
  health_live,
  health_ready,
  server,  ///< GET /v2
  model,
  model_ready,
  infer,
  learn,
  rows,
  forget,
  report,
  snapshot,
  metrics,
  page,
  asset,
  live_state,
  live_events,
  live_map,
  unknown,
};
inline constexpr int kRoutes = static_cast<int>(Route::unknown) + 1;

/// What a client must be allowed to do.
enum class Scope { none, any, predict, learn, admin };

struct RouteFacts {
  std::string_view label;  ///< For metrics and the log: the path, with {} for what varies.
  bool post = false;       ///< Otherwise GET and HEAD.
  Scope scope = Scope::none;
  /// What its query may have, separated by spaces; "*": anything, which means nothing.
  std::string_view parameters = "";
};
const RouteFacts& facts_of(Route route);

/// A path taken apart.
struct RoutedPath {
  Route route = Route::unknown;
  std::string model;   ///< The {name} in it.
  std::string detail;  ///< The {file} of an asset.
};
RoutedPath route_of(std::string_view path);

}  // namespace splitgp::serve
