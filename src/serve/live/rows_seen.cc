#include "serve/live/rows_seen.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "serve/live/short_number.h"

namespace splitgp::serve {

using Eigen::Index;
using Json = nlohmann::ordered_json;

namespace {

std::vector<double> copied(std::span<const double> values) {
  return {values.begin(), values.end()};
}

}  // namespace

void RowsSeen::begin(const ObservedInputs& observed, std::uint64_t seen, bool windowed) {
  windowed_ = windowed;
  drawn_from_ = seen;
  sample_.clear();
  const Index rows = std::min<Index>(observed.sample.cols(), kSample);
  for (Index i = 0; i < rows; ++i) {
    sample_.push_back({observed.sequence[static_cast<std::size_t>(i)],
                       {observed.sample.col(i).begin(), observed.sample.col(i).end()},
                       {observed.outputs.col(i).begin(), observed.outputs.col(i).end()}});
  }
}

void RowsSeen::add(const LearnedRow& row) {
  latest_.push_back({row.sequence, row.time, row.interval_known, row.outlier, row.rejected,
                     copied(row.y), copied(row.mean), copied(row.lower), copied(row.upper),
                     copied(row.z)});
  if (latest_.size() > kLatest) latest_.pop_front();
  newest_inputs_ = copied(row.x);
  if (row.rejected) return;

  newest_.push_back({row.sequence, copied(row.x), copied(row.y)});
  if (newest_.size() > kNewest) newest_.pop_front();
  ++drawn_from_;
  if (windowed_) {
    // What a window forgets must not be shown for long.
    if (!sample_.empty()) sample_.pop_back();
  } else if (sample_.size() < kSample) {
    sample_.push_back(newest_.back());
  } else {
    // Algorithm R: every row of the stream is as likely to be here as any other.
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t place = (random_ >> 11) % drawn_from_;
    if (place < kSample) sample_[place] = newest_.back();
  }
}

void RowsSeen::keep(const std::set<std::uint64_t>& held, std::uint64_t seen) {
  const auto gone = [&held, seen](const auto& row) {
    return row.sequence < seen && !held.contains(row.sequence);
  };
  std::erase_if(sample_, gone);
  std::erase_if(newest_, gone);
  if (!latest_.empty() && gone(latest_.back())) newest_inputs_.clear();
  std::erase_if(latest_, gone);
}

Json RowsSeen::latest_json(std::size_t most) const {
  const std::size_t first = latest_.size() - std::min(most, latest_.size());
  const std::size_t outputs = latest_.empty() ? 0 : latest_.front().y.size();
  Json sequence = Json::array(), time = Json::array(), known = Json::array(),
       outlier = Json::array(), rejected = Json::array();
  for (std::size_t i = first; i < latest_.size(); ++i) {
    sequence.push_back(latest_[i].sequence);
    time.push_back(latest_[i].time);
    known.push_back(latest_[i].interval_known);
    outlier.push_back(latest_[i].outlier);
    rejected.push_back(latest_[i].rejected);
  }
  Json of_outputs = Json::array();
  for (std::size_t o = 0; o < outputs; ++o) {
    Json part;
    const auto column = [&](const char* name, std::vector<double> Latest::*member) {
      Json& values = part[name] = Json::array();
      for (std::size_t i = first; i < latest_.size(); ++i) {
        const std::vector<double>& all = latest_[i].*member;
        values.push_back(o < all.size() ? short_number(all[o]) : Json(nullptr));
      }
    };
    column("observed", &Latest::y);
    column("mean", &Latest::mean);
    column("lower", &Latest::lower);
    column("upper", &Latest::upper);
    column("z", &Latest::z);
    of_outputs.push_back(std::move(part));
  }
  return {{"sequence", sequence}, {"time", time},         {"interval_known", known},
          {"outlier", outlier},   {"rejected", rejected}, {"outputs", of_outputs}};
}

ObservedInputs RowsSeen::observed(const Eigen::VectorXd& length_scale) const {
  std::vector<const Sampled*> rows;
  for (const Sampled& row : sample_) rows.push_back(&row);
  for (const Sampled& row : newest_) rows.push_back(&row);
  const Index count = std::ssize(rows);
  const Index outputs = rows.empty() ? 0 : std::ssize(rows.front()->y);
  Eigen::MatrixXd X(length_scale.size(), count);
  Eigen::MatrixXd Y(outputs, count);
  for (Index i = 0; i < count; ++i) {
    const Sampled& row = *rows[static_cast<std::size_t>(i)];
    X.col(i) = Eigen::Map<const Eigen::VectorXd>(row.x.data(), X.rows());
    Y.col(i) = Eigen::Map<const Eigen::VectorXd>(row.y.data(), Y.rows());
  }
  return observed_rows(X, Y, length_scale);
}

}  // namespace splitgp::serve
