#include "serve/live/history.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "serve/live/short_number.h"

namespace splitgp::serve {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::int64_t kSpeedSeconds = 10;

}  // namespace

History::History(std::size_t outputs, double start, std::int64_t local_gps)
    : outputs_(outputs), start_(std::floor(start)), now_(start) {
  points_.push_back({0, local_gps, std::vector<Sums>(outputs)});
}

void History::advance(double time) {
  now_ = std::max(now_, time);
  // After a long silence many at once: join first, so that it takes few steps.
  while (now_ - start_ >= width_ * static_cast<double>(kMostPoints)) join_neighbours();
  const auto last = static_cast<std::size_t>((now_ - start_) / width_);
  while (points_.size() <= last) {
    points_.push_back({0, points_.back().local_gps, std::vector<Sums>(outputs_)});
  }
}

void History::Sums::add(const OutputError& row) {
  if (!row.interval_known) return;
  ++interval_rows;
  squared_error += row.error * row.error;
  covered += row.covered;
}

void History::add(double time, const std::vector<OutputError>& row, std::int64_t local_gps) {
  advance(time);
  Point& point = points_.back();
  ++point.rows;
  ++rows_;
  point.local_gps = local_gps;
  for (std::size_t o = 0; o < outputs_; ++o) point.outputs[o].add(row[o]);
  const std::size_t place = (rows_ - 1) % kRecentRows * outputs_;
  if (recent_.size() < kRecentRows * outputs_) {
    recent_.insert(recent_.end(), row.begin(), row.end());
  } else {
    std::copy(row.begin(), row.end(), recent_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  const auto second = static_cast<std::int64_t>(std::floor(now_));
  if (seconds_.empty() || seconds_.back().first != second) seconds_.push_back({second, 0});
  ++seconds_.back().second;
  while (seconds_.front().first < second - kSpeedSeconds) seconds_.pop_front();
}

void History::join_neighbours() {
  for (std::size_t i = 0; i < points_.size(); i += 2) {
    Point joined = std::move(points_[i]);
    if (i + 1 < points_.size()) {
      const Point& next = points_[i + 1];
      joined.rows += next.rows;
      joined.local_gps = next.local_gps;
      for (std::size_t o = 0; o < outputs_; ++o) {
        joined.outputs[o].squared_error += next.outputs[o].squared_error;
        joined.outputs[o].interval_rows += next.outputs[o].interval_rows;
        joined.outputs[o].covered += next.outputs[o].covered;
      }
    }
    points_[i / 2] = std::move(joined);
  }
  points_.resize((points_.size() + 1) / 2);
  width_ *= 2.0;
}

Json History::points_json(std::size_t first) const {
  Json time = Json::array(), speed = Json::array(), local_gps = Json::array();
  std::vector<Json> rmse(outputs_, Json::array()), coverage(outputs_, Json::array()),
      interval_rows(outputs_, Json::array());
  for (std::size_t i = first; i < points_.size(); ++i) {
    const Point& point = points_[i];
    const double begin = start_ + static_cast<double>(i) * width_;
    // The last one is still being filled, and says nothing while it is shorter than a second.
    const double length = i + 1 < points_.size() ? width_ : std::min(now_ - begin, width_);
    const auto rows = static_cast<double>(point.rows);
    time.push_back(begin);
    speed.push_back(length < 1.0 ? Json(nullptr) : short_number(rows / length));
    local_gps.push_back(point.local_gps);
    for (std::size_t o = 0; o < outputs_; ++o) {
      const Sums& sums = point.outputs[o];
      const auto judged = static_cast<double>(sums.interval_rows);
      rmse[o].push_back(short_number(std::sqrt(sums.squared_error / judged)));
      coverage[o].push_back(short_number(static_cast<double>(sums.covered) / judged));
      interval_rows[o].push_back(sums.interval_rows);
    }
  }
  Json outputs = Json::array();
  for (std::size_t o = 0; o < outputs_; ++o) {
    outputs.push_back(
        {{"rmse", rmse[o]}, {"coverage", coverage[o]}, {"interval_rows", interval_rows[o]}});
  }
  return {{"seconds_per_point", width_},
          {"time", time},
          {"rows_per_second", speed},
          {"local_gps", local_gps},
          {"outputs", outputs}};
}

Json History::recent_json() const {
  Json result = Json::array();
  for (std::size_t o = 0; o < outputs_; ++o) {
    Sums sums;
    for (std::size_t i = o; i < recent_.size(); i += outputs_) sums.add(recent_[i]);
    const std::size_t rows = recent_.size() / outputs_;
    const auto judged = static_cast<double>(sums.interval_rows);
    result.push_back({{"rows", rows},
                      {"rmse", short_number(std::sqrt(sums.squared_error / judged))},
                      {"coverage", short_number(static_cast<double>(sums.covered) / judged)}});
  }
  return result;
}

double History::rows_per_second(double time) const {
  const auto second = static_cast<std::int64_t>(std::floor(std::max(now_, time)));
  std::uint64_t rows = 0;
  for (const auto& [at, count] : seconds_) {
    if (at >= second - kSpeedSeconds && at < second) rows += count;
  }
  return static_cast<double>(rows) / static_cast<double>(kSpeedSeconds);
}

}  // namespace splitgp::serve
