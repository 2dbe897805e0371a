#include "cli/report/page.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#ifdef __APPLE__
#define SPLITGP_READ_ONLY ".section __TEXT,__const\n"
#define SPLITGP_READ_ONLY_END ".text\n"
#define SPLITGP_SYMBOL "_splitgp_report_"
#else
#define SPLITGP_READ_ONLY ".section .rodata\n"
#define SPLITGP_READ_ONLY_END ".previous\n"
#define SPLITGP_SYMBOL "splitgp_report_"
#endif

// The assembler copies a file's bytes as they are, at once; a generated array of 1.5 MB would take
// the compiler half a minute. SPLITGP_REPORT_PARTS is a folder of the build tree.
// clang-format off
#define SPLITGP_EMBED(name, file)                                                          \
  __asm__(SPLITGP_READ_ONLY                                                                \
          ".globl " SPLITGP_SYMBOL #name "\n"                                              \
          ".globl " SPLITGP_SYMBOL #name "_end\n"                                          \
          SPLITGP_SYMBOL #name ":\n"                                                       \
          ".incbin \"" SPLITGP_REPORT_PARTS "/" file "\"\n"                                \
          SPLITGP_SYMBOL #name "_end:\n"                                                   \
          ".byte 0\n"                                                                      \
          SPLITGP_READ_ONLY_END);                                                          \
  extern "C" const char splitgp_report_##name[];                                           \
  extern "C" const char splitgp_report_##name##_end[];                                     \
  namespace {                                                                              \
  std::string_view name() { return {splitgp_report_##name, splitgp_report_##name##_end}; } \
  }
// clang-format on

SPLITGP_EMBED(page, "page.html")
SPLITGP_EMBED(style, "style.css")
SPLITGP_EMBED(charts, "charts.js")
SPLITGP_EMBED(library, "library.js")
SPLITGP_EMBED(licence, "licence.txt")

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

std::string_view part_named(std::string_view part, const std::string& data) {
  if (part == "style") return style();
  if (part == "charts") return charts();
  if (part == "library") return library();
  if (part == "licence") return licence();
  if (part == "data") return data;
  throw std::logic_error("the page asks for {{" + std::string(part) + "}}");
}

}  // namespace

std::string report_page(const nlohmann::ordered_json& data) {
  const std::string text = embeddable(data);
  std::string result;
  result.reserve(page().size() + library().size() + text.size() + 100'000);
  // In one pass, from left to right: what is inserted is not searched again.
  std::string_view rest = page();
  while (true) {
    const std::size_t begin = rest.find("{{");
    if (begin == std::string_view::npos) break;
    const std::size_t end = rest.find("}}", begin);
    result += rest.substr(0, begin);
    result += part_named(rest.substr(begin + 2, end - begin - 2), text);
    rest.remove_prefix(end + 2);
  }
  return result += rest;
}

}  // namespace splitgp
