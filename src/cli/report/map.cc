#include "cli/report/map.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "cli/inspect/inspect.h"
#include "cli/report/numbers.h"
#include "cli/report/observed_inputs.h"
#include "cli/scores/scores.h"

namespace splitgp {

using Eigen::Index;
using json = nlohmann::ordered_json;

namespace {

// Fine enough that a browser's interpolation looks smooth; 2,304 predictions take about a second.
constexpr Index kSide = kMapSide;
constexpr Index kLinePoints = 400;
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

json map_json(const SplittingGp& model, const Slice& slice) {
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(kSide, slice.x.low, slice.x.high);
  const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(kSide, slice.y.low, slice.y.high);
  const Eigen::MatrixXd grid = grid_of(slice, x, y);
  const Prediction prediction = model.predict(grid);

  const Eigen::Matrix3Xd centers = centers_in_slice(model, slice);
  std::vector<Index> cell_of_point;
  for (Index i = 0; i < grid.cols(); ++i) {
    cell_of_point.push_back(
        cell_at(model, slice, centers, grid(slice.pair.x, i), grid(slice.pair.y, i)));
  }
  const std::set<Index> seen(cell_of_point.begin(), cell_of_point.end());
  json cells = json::array();
  for (const Cell& cell : cells_of(model, slice, centers, {seen.begin(), seen.end()})) {
    cells.push_back({{"local_gp", cell.local_gp},
                     {"x", chart_numbers(cell.corners.row(0).transpose())},
                     {"y", chart_numbers(cell.corners.row(1).transpose())}});
  }
  return {{"inputs", {slice.pair.x, slice.pair.y}},
          {"x", chart_numbers(x)},
          {"y", chart_numbers(y)},
          {"local_gp", cell_of_point},
          {"outputs", predicted_json(prediction)},
          {"cells", cells}};
}

json maps_json(const SplittingGp& model, const ObservedInputs& observed,
               const std::vector<Index>& inputs) {
  json result = json::array();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t j = i + 1; j < inputs.size(); ++j) {
      const auto range = [&](Index k) { return observed.ranges[static_cast<std::size_t>(k)]; };
      result.push_back(map_json(
          model, {{inputs[i], inputs[j]}, range(inputs[i]), range(inputs[j]), observed.median}));
    }
  }
  return result;
}

// One input: no map, but the function itself. Cells meet halfway between neighbouring centers.
json line_json(const SplittingGp& model, const Range& range) {
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(kLinePoints, range.low, range.high);
  std::vector<double> centers;
  for (const LocalGpSummary& local : model.local_gps()) centers.push_back(local.center(0));
  std::sort(centers.begin(), centers.end());
  Eigen::VectorXd edges(std::ssize(centers) - 1);
  for (Index i = 0; i < edges.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    edges(i) = centers[at] + (centers[at + 1] - centers[at]) / 2.0;
  }
  return {{"x", chart_numbers(x)},
          {"outputs", predicted_json(model.predict(x.transpose()))},
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

json predicted_json(const Prediction& prediction) {
  json result = json::array();
  for (Index o = 0; o < prediction.mean.rows(); ++o) {
    result.push_back(
        {{"mean", chart_numbers(prediction.mean.row(o).transpose())},
         {"sd", chart_numbers(prediction.variance.row(o).cwiseSqrt().transpose())},
         {"observation_sd",
          chart_numbers(
              (prediction.variance + prediction.noise_variance).row(o).cwiseSqrt().transpose())},
         {"half_width", prediction.half_width(o, 0, kIntervalLevel)}});
  }
  return result;
}

std::vector<Index> mapped_columns(const Eigen::VectorXd& share, Index outputs,
                                  std::optional<InputPair> first) {
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
  const std::size_t most = outputs <= kOutputsWithManyMaps ? kMostMappedInputs : 2;
  if (order.size() > most) order.resize(most);
  return order;
}

json partition_json(const SplittingGp& model, std::optional<InputPair> first) {
  if (model.n_local() == 0) return nullptr;
  const ObservedInputs observed = observed_inputs(model, kSampledInputs);
  const std::vector<Index> inputs = mapped_columns(relevance(model), model.n_outputs(), first);
  Eigen::MatrixXd centers(model.n_inputs(), model.n_local());
  for (const LocalGpSummary& local : model.local_gps()) centers.col(local.local_gp) = local.center;
  json outputs = json::array();
  for (Index o = 0; o < model.n_outputs(); ++o) {
    outputs.push_back(chart_numbers(observed.outputs.row(o).transpose()));
  }
  json result{
      {"median", std::vector<double>(observed.median.begin(), observed.median.end())},
      {"centers", columns_json(centers, inputs)},
      {"observations", {{"inputs", columns_json(observed.sample, inputs)}, {"outputs", outputs}}}};
  if (model.n_inputs() == 1) {
    result["line"] = line_json(model, observed.ranges.front());
  } else {
    result["maps"] = maps_json(model, observed, inputs);
  }
  return result;
}

}  // namespace splitgp
