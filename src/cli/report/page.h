#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace splitgp {

/// The page of `splitgp report` with everything in it: style, charts, charting library, data. Its
/// parts are the files of src/cli/report/page/, embedded at build time.
std::string report_page(const nlohmann::ordered_json& data);

}  // namespace splitgp
