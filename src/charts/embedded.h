#pragma once

#include <string>
#include <string_view>

namespace splitgp {

/// What the pages with charts share: the charting library, gzip-compressed, its licence, and the
/// style of src/charts/page/. Embedded at build time.
std::string_view charting_library_gz();
std::string_view charting_licence();
std::string_view charting_style();

/// The bytes of a gzip file.  REQUIRES: it is sound.
std::string gunzipped(std::string_view gz);

}  // namespace splitgp
