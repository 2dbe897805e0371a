#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>

namespace splitgp {

/// Numbers for a chart: five digits of the range they span, which is finer than a screen, in a
/// third of the text. Infinities and NaN become null.
nlohmann::ordered_json chart_numbers(const Eigen::Ref<const Eigen::VectorXd>& values);

}  // namespace splitgp
