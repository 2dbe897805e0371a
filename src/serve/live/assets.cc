#include "serve/live/assets.h"

#include <array>
#include <cstdint>
#include <string>

#include "charts/embed.h"
#include "charts/embedded.h"

SPLITGP_EMBED(live_html, "live.html")
SPLITGP_EMBED(live_css, "live.css")
SPLITGP_EMBED(live_js, "live.js")

namespace splitgp::serve {
namespace {

// FNV-1a: a browser that has these bytes need not load them again.
std::string etag_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\"";
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(hash >> shift) & 15u];
  return text + '"';
}

struct Named {
  std::string_view name;
  std::string_view bytes;
  std::string_view content_type;
  bool gzipped;
  std::string etag = etag_of(bytes);
};

}  // namespace

std::optional<Asset> live_asset(std::string_view name) {
  static const std::array<Named, 5> kAll{{
      {"", live_html(), "text/html; charset=utf-8", false},
      {"live.css", live_css(), "text/css; charset=utf-8", false},
      {"live.js", live_js(), "text/javascript; charset=utf-8", false},
      {"plotly.js", charting_library_gz(), "text/javascript; charset=utf-8", true},
      {"licence.txt", charting_licence(), "text/plain; charset=utf-8", false},
  }};
  for (const Named& one : kAll) {
    if (one.name == name) return Asset{one.bytes, one.content_type, one.etag, one.gzipped};
  }
  return std::nullopt;
}

}  // namespace splitgp::serve
