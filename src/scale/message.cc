#include "scale/message.h"

#include <memory>
#include <utility>

namespace splitgp::scale {
namespace {

void put(Writer& to, const Vector& values) {
  to.put(std::uint64_t{static_cast<std::uint64_t>(values.size())});
  to.put(std::span(values.data(), static_cast<std::size_t>(values.size())));
}

Vector get_vector(Reader& from) {
  const std::vector<double> values = from.get_list<double>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
}

}  // namespace

void put(Writer& to, const LocalGp::Points& points) {
  to.put_list(points.sequence).put_list(points.owned);
  to.put(points.inputs).put(points.outputs).put(points.noise_variance);
}

LocalGp::Points get_points(Reader& from, Eigen::Index inputs, Eigen::Index outputs) {
  LocalGp::Points points;
  points.sequence = from.get_list<std::uint64_t>();
  points.owned = from.get_list<std::uint8_t>();
  const Eigen::Index n = std::ssize(points.sequence);
  points.inputs.resize(n, inputs);
  points.outputs.resize(n, outputs);
  points.noise_variance.resize(n);
  from.get_matrix(points.inputs);
  from.get_matrix(points.outputs);
  from.get_matrix(points.noise_variance);
  return points;
}

void put(Writer& to, const Theta& theta) {
  const Hyperparameters& values = theta.values;
  to.put(theta.version).put(values.kernel);
  to.put(values.signal_variance).put(values.noise_variance).put(values.shape);
  for (const Vector* part : {&values.length_scale, &values.mean, &values.output_scale,
                             &values.trend_slope, &values.trend_origin, &values.trend_range})
    put(to, *part);
  to.put(values.trend_reach);
}

ThetaPointer get_theta(Reader& from) {
  const auto version = from.get<std::uint64_t>();
  Hyperparameters values;
  values.kernel = from.get<KernelFamily>();
  values.signal_variance = from.get<double>();
  values.noise_variance = from.get<double>();
  values.shape = from.get<double>();
  for (Vector* part : {&values.length_scale, &values.mean, &values.output_scale,
                       &values.trend_slope, &values.trend_origin, &values.trend_range})
    *part = get_vector(from);
  values.trend_reach = from.get<double>();
  return std::make_shared<const Theta>(std::move(values), version);
}

void put(Writer& to, const Options& options) {
  to.put(options.capacity).put(options.split_limit).put(options.comparison.inherit);
  to.put(options.comparison.principal_direction)
      .put(options.comparison.split_space)
      .put(options.calibration);
}

Options get_options(Reader& from) {
  Options options;
  options.capacity = from.get<int>();
  options.split_limit = from.get<int>();
  options.comparison.inherit = from.get<bool>();
  options.comparison.principal_direction = from.get<PrincipalDirection>();
  options.comparison.split_space = from.get<SplitSpace>();
  options.calibration = from.get<Calibration>();
  return options;
}

}  // namespace splitgp::scale
