#include "charts/column_map.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "charts/numbers.h"
#include "io/printable.h"
#include "table/calendar.h"

namespace splitgp {

using Eigen::Index;
using json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostLevels = 16;

class ColumnMaps {
 public:
  ColumnMaps(const MapSource& source, const table::Recipe& recipe, const MapChoice& choice)
      : source_(source),
        recipe_(recipe),
        choice_(choice),
        base_(observed_.median.begin(), observed_.median.end()) {
    // The columns that are not mapped: a time at its median with all its cycles, a category at its
    // most common level.
    for (const table::Feature& column : recipe.features()) {
      recipe.set_feature(column, middle(column), base_);
    }
  }

  json partition() const {
    const std::vector<table::Feature>& columns = recipe_.features();
    std::vector<Index> mapped;
    if (columns.size() > 1) {
      mapped = mapped_columns(source_, choice_);
    } else {
      mapped = {0};
    }
    json median = json::array();
    for (const table::Feature& column : columns) median.push_back(label(column, middle(column)));
    json outputs = json::array();
    for (const auto& output : observed_.outputs.rowwise()) {
      outputs.push_back(chart_numbers(output.transpose()));
    }
    json result{
        {"median", median},
        {"centers", places(centers_, mapped)},
        {"observations", {{"inputs", places(observed_.sample, mapped)}, {"outputs", outputs}}}};
    if (columns.size() == 1) {
      result["line"] = line(columns.front());
      return result;
    }
    json& maps = result["maps"] = json::array();
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      for (std::size_t j = i + 1; j < mapped.size(); ++j) maps.push_back(map(mapped[i], mapped[j]));
    }
    return result;
  }

 private:
  const table::Feature& feature(Index k) const {
    return recipe_.features()[static_cast<std::size_t>(k)];
  }
  bool is_number(const table::Feature& column) const {
    return column.use != table::Use::time && column.use != table::Use::category;
  }
  const table::TimeColumns& time(const table::Feature& column) const {
    return recipe_.times()[column.column];
  }

  // As set_feature() takes it.
  double middle(const table::Feature& column) const {
    if (column.use == table::Use::category) return 0.0;
    if (column.use == table::Use::time && !time(column).dated) return 12.0;
    return observed_.median(static_cast<Index>(column.first));
  }

  json label(const table::Feature& column, double value) const {
    if (column.use == table::Use::time) {
      if (!time(column).dated) return value;
      return table::stamp_text(time(column).origin + 3600.0 * value);
    }
    if (column.use == table::Use::category) {
      const std::vector<std::string>& levels = recipe_.columns()[column.column].levels;
      const auto level = static_cast<std::size_t>(value);
      return level < levels.size() ? printable(levels[level]) : "";
    }
    return value;
  }

  std::vector<double> axis(const table::Feature& column, Index points) const {
    if (column.use == table::Use::category) {
      const std::size_t levels =
          std::clamp<std::size_t>(recipe_.columns()[column.column].levels.size(), 1, kMostLevels);
      std::vector<double> numbers(levels);
      for (std::size_t k = 0; k < levels; ++k) numbers[k] = static_cast<double>(k);
      return numbers;
    }
    Range range = observed_.ranges[column.first];
    if (column.use == table::Use::time && !time(column).dated) range = {0.0, 24.0};
    const Eigen::VectorXd even = Eigen::VectorXd::LinSpaced(points, range.low, range.high);
    return {even.begin(), even.end()};
  }

  json labels(const table::Feature& column, const std::vector<double>& values) const {
    if (is_number(column)) {
      return chart_numbers(Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values)));
    }
    json result = json::array();
    for (const double value : values) result.push_back(label(column, value));
    return result;
  }

  // Where observations or centers are on the axes. Centers lie between the codes of levels, on
  // none.
  json places(const Eigen::MatrixXd& points, const std::vector<Index>& mapped) const {
    json result = json::object();
    for (const Index k : mapped) {
      const table::Feature& column = feature(k);
      json values = json::array();
      for (Index i = 0; i < points.cols(); ++i) values.push_back(place(column, points.col(i)));
      result[std::to_string(k)] = values;
    }
    return result;
  }

  json place(const table::Feature& column, const Eigen::VectorXd& point) const {
    const double first = point(static_cast<Index>(column.first));
    if (is_number(column)) return first;
    if (column.use == table::Use::time) {
      return time(column).dated ? label(column, first) : json(nullptr);
    }
    std::vector<double> code = base_;
    const std::size_t levels = recipe_.columns()[column.column].levels.size();
    for (std::size_t level = 0; level < levels; ++level) {
      recipe_.set_feature(column, static_cast<double>(level), code);
      bool same = true;
      for (std::size_t c = column.first; c < column.first + column.count && same; ++c) {
        same = code[c] == point(static_cast<Index>(c));
      }
      if (same) return label(column, static_cast<double>(level));
    }
    return nullptr;
  }

  Index nearest_center(const Eigen::VectorXd& x) const {
    const Eigen::VectorXd& scale = source_.partition.length_scale;
    Index nearest = 0;
    ((centers_.colwise() - x).array().colwise() / scale.array())
        .matrix()
        .colwise()
        .squaredNorm()
        .minCoeff(&nearest);
    return nearest;
  }

  json map(Index a, Index b) const {
    const table::Feature& first = feature(a);
    const table::Feature& second = feature(b);
    const std::vector<double> x = axis(first, choice_.side);
    const std::vector<double> y = axis(second, choice_.side);
    const auto width = std::ssize(x);
    Eigen::MatrixXd grid(centers_.rows(), width * std::ssize(y));
    std::vector<double> inputs = base_;
    json local = json::array();
    std::set<Index> seen;
    for (Index i = 0; i < grid.cols(); ++i) {
      recipe_.set_feature(first, x[static_cast<std::size_t>(i % width)], inputs);
      recipe_.set_feature(second, y[static_cast<std::size_t>(i / width)], inputs);
      grid.col(i) = Eigen::Map<const Eigen::VectorXd>(inputs.data(), std::ssize(inputs));
      const Index nearest = nearest_center(grid.col(i));
      local.push_back(nearest);
      seen.insert(nearest);
    }
    json cells = json::array();
    if (first.count == 1 && second.count == 1 && is_number(first) && is_number(second)) {
      const Slice slice{{static_cast<Index>(first.first), static_cast<Index>(second.first)},
                        {x.front(), x.back()},
                        {y.front(), y.back()},
                        Eigen::Map<const Eigen::VectorXd>(base_.data(), std::ssize(base_))};
      for (const Cell& cell :
           cells_of(source_.partition, slice, centers_in_slice(source_.partition, slice),
                    {seen.begin(), seen.end()})) {
        cells.push_back({{"local_gp", cell.local_gp},
                         {"x", chart_numbers(cell.corners.row(0).transpose())},
                         {"y", chart_numbers(cell.corners.row(1).transpose())}});
      }
    }
    return {{"inputs", {a, b}},
            {"x", labels(first, x)},
            {"y", labels(second, y)},
            {"local_gp", local},
            {"outputs", predicted_json(source_.predict(grid))},
            {"cells", cells}};
  }

  json line(const table::Feature& column) const {
    const std::vector<double> x = axis(column, kLinePoints);
    Eigen::MatrixXd grid(centers_.rows(), std::ssize(x));
    std::vector<double> inputs = base_;
    for (std::size_t i = 0; i < x.size(); ++i) {
      recipe_.set_feature(column, x[i], inputs);
      grid.col(static_cast<Index>(i)) =
          Eigen::Map<const Eigen::VectorXd>(inputs.data(), std::ssize(inputs));
    }
    return {{"x", labels(column, x)},
            {"outputs", predicted_json(source_.predict(grid))},
            {"edges", json::array()}};
  }

  const MapSource& source_;
  const table::Recipe& recipe_;
  const MapChoice& choice_;
  const ObservedInputs& observed_ = source_.observed;
  const Eigen::MatrixXd& centers_ = source_.partition.centers;
  std::vector<double> base_;
};

}  // namespace

json column_partition_json(const MapSource& source, const table::Recipe& recipe,
                           const MapChoice& choice) {
  if (source.partition.centers.cols() == 0) return nullptr;
  return ColumnMaps(source, recipe, choice).partition();
}

}  // namespace splitgp
