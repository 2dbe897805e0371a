#pragma once

#include <optional>
#include <string_view>

#include "serve/page_source.h"

namespace splitgp::serve {

/// A file of the live page, embedded at build time: "" is the page itself; "live.css", "live.js",
/// "plotly.js" and "licence.txt" are what it loads.
std::optional<Asset> live_asset(std::string_view name);

}  // namespace splitgp::serve
