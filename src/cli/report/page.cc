#include "cli/report/page.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "charts/embed.h"
#include "charts/embedded.h"

SPLITGP_EMBED(report_html, "page.html")
SPLITGP_EMBED(report_charts, "charts.js")

namespace splitgp {
namespace {

// Only "<" could end a script element, and JSON has it only in strings.
std::string embeddable(const nlohmann::ordered_json& data) {
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  std::string text;
  for (const char c : data.dump(-1, ' ', true, kReplace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

struct Texts {
  std::string data;
  std::string library;
};

std::string_view part_named(std::string_view part, const Texts& texts) {
  if (part == "style") return charting_style();
  if (part == "charts") return report_charts();
  if (part == "library") return texts.library;
  if (part == "licence") return charting_licence();
  if (part == "data") return texts.data;
  throw std::logic_error("the page asks for {{" + std::string(part) + "}}");
}

}  // namespace

std::string report_page(const nlohmann::ordered_json& data) {
  const Texts texts{embeddable(data), gunzipped(charting_library_gz())};
  std::string result;
  result.reserve(texts.library.size() + texts.data.size() + 100'000);
  // In one pass, from left to right: what is inserted is not searched again.
  std::string_view rest = report_html();
  while (true) {
    const std::size_t begin = rest.find("{{");
    if (begin == std::string_view::npos) break;
    const std::size_t end = rest.find("}}", begin);
    result += rest.substr(0, begin);
    result += part_named(rest.substr(begin + 2, end - begin - 2), texts);
    rest.remove_prefix(end + 2);
  }
  return result += rest;
}

}  // namespace splitgp
