#include "charts/map.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "charts/numbers.h"

namespace splitgp {

using Eigen::Index;
using json = nlohmann::ordered_json;

namespace {

// Six maps for a single output; their number is kept down when there are many.
constexpr std::size_t kMostMappedInputs = 4;
constexpr Index kOutputsWithManyMaps = 8;

Eigen::MatrixXd grid_of(const Slice& slice, const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  Eigen::MatrixXd grid = slice.base.replicate(1, x.size() * y.size());
  for (Index i = 0; i < grid.cols(); ++i) {
    grid(slice.pair.x, i) = x(i % x.size());
    grid(slice.pair.y, i) = y(i / x.size());
  }
  return grid;
}

json map_json(const MapSource& source, const Slice& slice, Index side) {
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(side, slice.x.low, slice.x.high);
  const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(side, slice.y.low, slice.y.high);
  const Eigen::MatrixXd grid = grid_of(slice, x, y);
  const PartitionFacts& partition = source.partition;
  const Eigen::Matrix3Xd centers = centers_in_slice(partition, slice);
  std::vector<Index> cell_of_point;
  for (Index i = 0; i < grid.cols(); ++i) {
    cell_of_point.push_back(
        cell_at(partition, slice, centers, grid(slice.pair.x, i), grid(slice.pair.y, i)));
  }
  const std::set<Index> seen(cell_of_point.begin(), cell_of_point.end());
  json cells = json::array();
  for (const Cell& cell : cells_of(partition, slice, centers, {seen.begin(), seen.end()})) {
    cells.push_back({{"local_gp", cell.local_gp},
                     {"x", chart_numbers(cell.corners.row(0).transpose())},
                     {"y", chart_numbers(cell.corners.row(1).transpose())}});
  }
  return {{"inputs", {slice.pair.x, slice.pair.y}},
          {"x", chart_numbers(x)},
          {"y", chart_numbers(y)},
          {"local_gp", cell_of_point},
          {"outputs", predicted_json(source.predict(grid))},
          {"cells", cells}};
}

json maps_json(const MapSource& source, const std::vector<Index>& inputs, Index side) {
  const ObservedInputs& observed = source.observed;
  const auto range = [&](Index k) { return observed.ranges[static_cast<std::size_t>(k)]; };
  json result = json::array();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t j = i + 1; j < inputs.size(); ++j) {
      const Slice slice{
          {inputs[i], inputs[j]}, range(inputs[i]), range(inputs[j]), observed.median};
      result.push_back(map_json(source, slice, side));
    }
  }
  return result;
}

// One input: no map, but the function itself. Cells meet halfway between neighbouring centers.
json line_json(const MapSource& source) {
  const Range& range = source.observed.ranges.front();
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(kLinePoints, range.low, range.high);
  Eigen::VectorXd centers = source.partition.centers.row(0).transpose();
  std::sort(centers.begin(), centers.end());
  Eigen::VectorXd edges(centers.size() - 1);
  for (Index i = 0; i < edges.size(); ++i) {
    edges(i) = centers(i) + (centers(i + 1) - centers(i)) / 2.0;
  }
  return {{"x", chart_numbers(x)},
          {"outputs", predicted_json(source.predict(x.transpose()))},
          {"edges", chart_numbers(edges)}};
}

// Only the mapped inputs; the page needs no others.
json columns_json(const Eigen::MatrixXd& rows, const std::vector<Index>& inputs) {
  json result = json::object();
  for (const Index k : inputs) {
    result[std::to_string(k)] = chart_numbers(rows.row(k).transpose());
  }
  return result;
}

}  // namespace

json predicted_json(const PredictedPoints& points) {
  json result = json::array();
  for (Index o = 0; o < points.mean.rows(); ++o) {
    result.push_back({{"mean", chart_numbers(points.mean.row(o).transpose())},
                      {"sd", chart_numbers(points.sd.row(o).transpose())},
                      {"observation_sd", chart_numbers(points.observation_sd.row(o).transpose())},
                      {"half_width", points.half_width(o)}});
  }
  return result;
}

std::vector<Index> mapped_columns(const MapSource& source, const MapChoice& choice) {
  const Eigen::VectorXd& share = source.relevance;
  const std::optional<InputPair>& first = choice.first;
  std::vector<Index> order(static_cast<std::size_t>(share.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const auto rank = [&](Index k) { return first && (k == first->x || k == first->y); };
    return rank(a) != rank(b) ? rank(a) : share(a) > share(b);
  });
  if (first) {
    order[0] = first->x;
    order[1] = first->y;
  }
  const bool few = choice.alone || source.observed.outputs.rows() > kOutputsWithManyMaps;
  const std::size_t most = few ? 2 : kMostMappedInputs;
  if (order.size() > most) order.resize(most);
  return order;
}

json partition_json(const MapSource& source, const MapChoice& choice) {
  const Eigen::MatrixXd& centers = source.partition.centers;
  if (centers.cols() == 0) return nullptr;
  const ObservedInputs& observed = source.observed;
  const std::vector<Index> inputs = mapped_columns(source, choice);
  json outputs = json::array();
  for (const auto& output : observed.outputs.rowwise()) {
    outputs.push_back(chart_numbers(output.transpose()));
  }
  json result{
      {"median", std::vector<double>(observed.median.begin(), observed.median.end())},
      {"centers", columns_json(centers, inputs)},
      {"observations", {{"inputs", columns_json(observed.sample, inputs)}, {"outputs", outputs}}}};
  if (centers.rows() == 1) {
    result["line"] = line_json(source);
  } else {
    result["maps"] = maps_json(source, inputs, choice.side);
  }
  return result;
}

}  // namespace splitgp
