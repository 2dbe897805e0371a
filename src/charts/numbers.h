#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>

namespace splitgp {

/// Numbers for a chart, rounded to five digits of the range they span: finer than a screen, and a
/// third of the text. Infinities and NaN become null.
nlohmann::ordered_json chart_numbers(const Eigen::Ref<const Eigen::VectorXd>& values);

}  // namespace splitgp
