#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/api/internals.h"
#include "core/partition/renewing.h"
#include "splitgp/splitting_gp.h"

namespace splitgp::testing {

inline void expect_same(const Hyperparameters& a, const Hyperparameters& b) {
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.length_scale, b.length_scale);
  EXPECT_EQ(a.signal_variance, b.signal_variance);
  EXPECT_EQ(a.noise_variance, b.noise_variance);
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.output_scale, b.output_scale);
  EXPECT_EQ(a.trend_slope, b.trend_slope);
  EXPECT_EQ(a.trend_reach, b.trend_reach);
  if ((a.trend_slope.array() != 0.0).any()) {
    EXPECT_EQ(a.trend_origin, b.trend_origin);
    EXPECT_EQ(a.trend_range, b.trend_range);
  }
}

inline void expect_same(const LocalGp& a, const LocalGp& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.owned(), b.owned());
  EXPECT_EQ(a.center(), b.center());
  EXPECT_EQ(a.inputs(), b.inputs());
  EXPECT_EQ(a.outputs(), b.outputs());
  EXPECT_EQ(a.noise_variance(), b.noise_variance());
  for (Eigen::Index j = 0; j < a.size(); ++j) {
    ASSERT_EQ(a.sequence(j), b.sequence(j));
    ASSERT_EQ(a.owns(j), b.owns(j));
  }
  expect_same(a.theta().values, b.theta().values);
  EXPECT_EQ(a.theta().version, b.theta().version);
}

inline void expect_same(const TrainResult& a, const TrainResult& b) {
  EXPECT_EQ(a.adopted, b.adopted);
  expect_same(a.theta, b.theta);
  EXPECT_EQ(a.theta_version, b.theta_version);
  EXPECT_EQ(a.objective_before, b.objective_before);
  EXPECT_EQ(a.objective_after, b.objective_after);
  EXPECT_EQ(a.surprised, b.surprised);
  EXPECT_EQ(a.record.regime, b.record.regime);
  EXPECT_EQ(a.record.searched, b.record.searched);
  EXPECT_EQ(a.record.kernel_margin, b.record.kernel_margin);
  EXPECT_EQ(a.bounds_reached, b.bounds_reached);
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.observations, b.observations);
  EXPECT_EQ(a.record.local_gps, b.record.local_gps);
  EXPECT_EQ(a.record.starts, b.record.starts);
  EXPECT_EQ(a.record.evaluations, b.record.evaluations);
}

/// Each local GP is in the same groups, which know the same. Their numbers may differ.
inline void expect_same(const Drift& a, const Drift& b, Eigen::Index local_gps) {
  for (Eigen::Index local_gp = 0; local_gp < local_gps; ++local_gp) {
    Eigen::Index i = a.group_of(local_gp);
    Eigen::Index j = b.group_of(local_gp);
    for (; i != Drift::kNone && j != Drift::kNone; i = a.group(i).parent, j = b.group(j).parent) {
      EXPECT_EQ(a.group(i).local_gp, b.group(j).local_gp);
      EXPECT_EQ(a.group(i).cells, b.group(j).cells);
      EXPECT_EQ(a.group(i).last, b.group(j).last);
      EXPECT_EQ(a.group(i).alarmed, b.group(j).alarmed);
      for (Eigen::Index o = 0; o < a.outputs(); ++o) {
        const Drift::Watch& s = a.watch(i, o);
        const Drift::Watch& t = b.watch(j, o);
        // Scores come from the factors, so they differ by rounding.
        EXPECT_NEAR(s.scores.value, t.scores.value, 1e-6);
        EXPECT_EQ(s.scores.rows, t.scores.rows);
        for (std::size_t kind = 0; kind < Drift::kKinds; ++kind) {
          EXPECT_NEAR(s.sums[kind].evidence, t.sums[kind].evidence, 1e-5);
          EXPECT_EQ(s.sums[kind].rows, t.sums[kind].rows);
          EXPECT_EQ(s.sums[kind].since, t.sums[kind].since);
          const double error = s.sums[kind].error;
          EXPECT_NEAR(error, t.sums[kind].error, 1e-5 * std::max(1.0, std::abs(error)));
        }
      }
    }
    EXPECT_EQ(i, j);  // both chains end
  }
}

inline void expect_same(const Alarm& a, const Alarm& b) {
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.change_point, b.change_point);
  EXPECT_EQ(a.output, b.output);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.whole_stream, b.whole_stream);
  EXPECT_EQ(a.local_gp, b.local_gp);
  EXPECT_EQ(a.local_gps, b.local_gps);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.forgotten, b.forgotten);
  EXPECT_NEAR(a.size, b.size, 1e-6 * std::max(1.0, std::abs(a.size)));
  EXPECT_NEAR(a.size_in_noise, b.size_in_noise, 1e-6 * std::max(1.0, std::abs(a.size_in_noise)));
}

/// To the last bit: partition, θ of every local GP, histories, statistics, schedule. Only factors
/// and the seconds of trainings may differ.
inline void expect_same_model(const SplittingGp& one, const SplittingGp& other) {
  const ModelState& a = Internals::of(one);
  const ModelState& b = Internals::of(other);
  EXPECT_EQ(a.knowledge.observations, b.knowledge.observations);
  EXPECT_EQ(a.partition.held, b.partition.held);
  EXPECT_EQ(a.partition.splits_dropped, b.partition.splits_dropped);
  EXPECT_EQ(a.knowledge.trainings_dropped, b.knowledge.trainings_dropped);
  expect_same(a.knowledge.theta->values, b.knowledge.theta->values);
  EXPECT_EQ(a.knowledge.theta->version, b.knowledge.theta->version);
  EXPECT_EQ(a.knowledge.theta_given, b.knowledge.theta_given);
  EXPECT_EQ(current_before(a.partition, *a.knowledge.theta),
            current_before(b.partition, *b.knowledge.theta));
  ASSERT_EQ(a.partition.local_gps.size(), b.partition.local_gps.size());
  for (std::size_t i = 0; i < a.partition.local_gps.size(); ++i) {
    SCOPED_TRACE("local GP " + std::to_string(i));
    expect_same(a.partition.local_gps[i], b.partition.local_gps[i]);
  }
  ASSERT_EQ(a.partition.split_history.size(), b.partition.split_history.size());
  for (std::size_t i = 0; i < a.partition.split_history.size(); ++i) {
    EXPECT_EQ(a.partition.split_history[i].sequence, b.partition.split_history[i].sequence);
    EXPECT_EQ(a.partition.split_history[i].parent, b.partition.split_history[i].parent);
    EXPECT_EQ(a.partition.split_history[i].child, b.partition.split_history[i].child);
    EXPECT_EQ(a.partition.split_history[i].parent_owned, b.partition.split_history[i].parent_owned);
    EXPECT_EQ(a.partition.split_history[i].child_owned, b.partition.split_history[i].child_owned);
  }
  ASSERT_EQ(a.knowledge.training_history.size(), b.knowledge.training_history.size());
  for (std::size_t i = 0; i < a.knowledge.training_history.size(); ++i) {
    SCOPED_TRACE("training " + std::to_string(i));
    expect_same(a.knowledge.training_history[i], b.knowledge.training_history[i]);
  }
  ASSERT_EQ(a.monitor.calibrators.size(), b.monitor.calibrators.size());
  for (std::size_t o = 0; o < a.monitor.calibrators.size(); ++o) {
    // Innovations come from the factors, so they too differ by rounding.
    const auto expect_near = [](const std::vector<double>& numbers,
                                const std::vector<double>& others) {
      ASSERT_EQ(numbers.size(), others.size());
      for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_NEAR(numbers[i], others[i], 1e-6 * std::max(1.0, std::abs(numbers[i]))) << i;
    };
    expect_near(a.monitor.calibrators[o].next.numbers(), b.monitor.calibrators[o].next.numbers());
    expect_near(a.monitor.calibrators[o].numbers(), b.monitor.calibrators[o].numbers());
  }
  expect_same(a.monitor.drift, b.monitor.drift, a.partition.size());
  EXPECT_EQ(a.monitor.rejected, b.monitor.rejected);
  EXPECT_EQ(a.monitor.n_alarms, b.monitor.n_alarms);
  ASSERT_EQ(a.monitor.alarms.size(), b.monitor.alarms.size());
  for (std::size_t i = 0; i < a.monitor.alarms.size(); ++i) {
    SCOPED_TRACE("alarm " + std::to_string(i));
    expect_same(a.monitor.alarms[i], b.monitor.alarms[i]);
  }
  EXPECT_EQ(a.knowledge.schedule.marks().next, b.knowledge.schedule.marks().next);
  EXPECT_EQ(a.knowledge.schedule.marks().searched, b.knowledge.schedule.marks().searched);
  EXPECT_EQ(a.knowledge.schedule.marks().ever_trained, b.knowledge.schedule.marks().ever_trained);
  for (const auto& [s, t] :
       {std::pair(&a.knowledge.input_statistics, &b.knowledge.input_statistics),
        std::pair(&a.knowledge.output_statistics, &b.knowledge.output_statistics)}) {
    EXPECT_EQ(s->sums().n, t->sums().n);
    EXPECT_EQ(s->mean(), t->mean());
    EXPECT_EQ(s->sums().squares, t->sums().squares);
  }
}

/// To 1e-9 relative: a factor that grew by appends and one that was built at once differ by
/// rounding times the condition of the kernel matrix. Variances are compared with the noise
/// included, as intervals use them: the latent variance alone is what a subtraction leaves of the
/// prior's, and where data are dense few of its digits remain.
inline void expect_same_prediction(const Prediction& p, const Prediction& q) {
  ASSERT_EQ(p.mean.cols(), q.mean.cols());
  EXPECT_LE((p.mean - q.mean).cwiseAbs().maxCoeff(), 1e-9 * p.mean.cwiseAbs().maxCoeff());
  EXPECT_LE(((p.variance - q.variance).array() / (p.variance + p.noise_variance).array())
                .abs()
                .maxCoeff(),
            1e-9);
  // Calibrated by local scales, which come from the factors.
  EXPECT_LE(
      ((p.noise_variance - q.noise_variance).array() / p.noise_variance.array()).abs().maxCoeff(),
      1e-9);
  EXPECT_EQ(p.conformal_half_widths.rows(), q.conformal_half_widths.rows());
}

inline void expect_same_predictions(const SplittingGp& a, const SplittingGp& b,
                                    const Eigen::MatrixXd& queries) {
  expect_same_prediction(a.predict(queries), b.predict(queries));
}

}  // namespace splitgp::testing
