#include "core/predict/aggregate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/random_matrix.h"
#include "support/sanitized.h"

namespace splitgp {
namespace {

constexpr double kNobody = -std::numeric_limits<double>::infinity();

Options options_of(Aggregation aggregation, bool taper = true) {
  Options options;
  options.comparison.aggregation = aggregation;
  options.comparison.taper = taper;
  return options;
}

// A local GP at similarity k(c, x)/k(x, x), with posterior variance `variance` and prior variance
// 1.
Candidate candidate(double similarity, double variance) {
  return {std::log(similarity), {variance, 1.0 - variance}};
}

std::vector<double> weights_of(const std::vector<Candidate>& candidates, double outsider,
                               const Options& options) {
  // What an earlier, larger query left behind must not matter.
  std::vector<double> weights(7, 99.0);
  aggregation_weights(candidates, outsider, options, weights);
  return weights;
}

// Logs and exps of numbers near 1: a few ε.
void expect_weights(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-14) << i;
}

TEST(Aggregate, NearestIsTheFirstAlone) {
  const std::vector<Candidate> candidates{candidate(0.8, 0.9), candidate(0.7, 0.1)};
  expect_weights(weights_of(candidates, kNobody, options_of(Aggregation::nearest)), {1.0, 0.0});
  // Also where no local GP knows anything.
  expect_weights(weights_of({{-1e300, {1.0, 0.0}}}, -1e300, options_of(Aggregation::nearest)),
                 {1.0});
}

TEST(Aggregate, SimilarityWeightsByTheKernel) {
  const std::vector<Candidate> candidates{candidate(0.6, 0.5), candidate(0.3, 0.1),
                                          candidate(0.1, 0.9)};
  const Options all = options_of(Aggregation::similarity);
  expect_weights(weights_of(candidates, kNobody, all), {0.6, 0.3, 0.1});
  // Without taper the outsider does not matter.
  const Options cut = options_of(Aggregation::similarity, false);
  expect_weights(weights_of(candidates, std::log(0.05), cut), {0.6, 0.3, 0.1});
  // With it k·(1 − k_(q+1)/k) = k − k_(q+1): 0.55, 0.25 and 0.05.
  expect_weights(weights_of(candidates, std::log(0.05), all),
                 {0.55 / 0.85, 0.25 / 0.85, 0.05 / 0.85});
}

TEST(Aggregate, EvidenceWeightsByTheSquaredSignalToNoiseRatio) {
  // σ_0²/σ² − 1 is 3, 1 and 1/4.
  const std::vector<Candidate> candidates{candidate(0.8, 0.25), candidate(0.4, 0.5),
                                          candidate(0.2, 0.8)};
  const double sum = 9.0 + 1.0 + 0.0625;
  const Options options = options_of(Aggregation::evidence);
  expect_weights(weights_of(candidates, kNobody, options), {9.0 / sum, 1.0 / sum, 0.0625 / sum});
  // The taper is 1 − 0.2/k: 3/4, 1/2 and 0.
  const double tapered = 9.0 * 0.75 + 0.5;
  expect_weights(weights_of(candidates, std::log(0.2), options),
                 {9.0 * 0.75 / tapered, 0.5 / tapered, 0.0});
  expect_weights(weights_of(candidates, std::log(0.2), options_of(Aggregation::evidence, false)),
                 {9.0 / sum, 1.0 / sum, 0.0625 / sum});
}

TEST(Aggregate, TaperVanishesAtTheRankBoundary) {
  for (const Aggregation aggregation : {Aggregation::evidence, Aggregation::similarity}) {
    const Options options = options_of(aggregation);
    // The last of two trades its rank with the outsider: its weight goes to 0 in proportion.
    const double outsider = 0.3;
    double previous = 1.0;
    for (const double above : {1e-1, 1e-3, 1e-6, 1e-9, 1e-12}) {
      const double weight =
          weights_of({candidate(0.9, 0.5), candidate(outsider * (1 + above), 0.01)},
                     std::log(outsider), options)[1];
      EXPECT_GT(weight, 0.0);
      EXPECT_LT(weight, previous);
      // Evidence favours it by (99/1)², and the other one is tapered to 2/3.
      EXPECT_LT(weight, 99.0 * 99.0 * 2.0 * above);
      previous = weight;
    }
    expect_weights(
        weights_of({candidate(0.9, 0.5), candidate(0.3, 0.01)}, std::log(outsider), options),
        {1.0, 0.0});
    // Rounding may put the outsider a little ahead.
    expect_weights(weights_of({candidate(0.9, 0.5), candidate(0.3, 0.01)},
                              std::log(0.3 * (1 + 1e-15)), options),
                   {1.0, 0.0});
  }
}

TEST(Aggregate, AllTiedSpeakAlike) {
  // More local GPs than q share one center: every taper is 0.
  const std::vector<Candidate> tied(4, candidate(0.5, 0.3));
  for (const Aggregation aggregation : {Aggregation::evidence, Aggregation::similarity}) {
    expect_weights(weights_of(tied, std::log(0.5), options_of(aggregation)),
                   {0.25, 0.25, 0.25, 0.25});
  }
}

TEST(Aggregate, SimilarityDecidesWhereNobodyKnowsAnything) {
  const std::vector<Candidate> ignorant{{std::log(0.4), {1.0, 0.0}}, {std::log(0.1), {1.0, 0.0}}};
  expect_weights(weights_of(ignorant, kNobody, options_of(Aggregation::evidence)), {0.8, 0.2});
}

TEST(Aggregate, ASingleLocalGpHasAllTheWeight) {
  for (const Aggregation aggregation :
       {Aggregation::evidence, Aggregation::similarity, Aggregation::nearest}) {
    for (const double log_similarity : {0.0, -1e300}) {
      for (const double explained : {0.0, 1e-320, 1.0}) {
        const std::vector<Candidate> one{{log_similarity, {1.0 - 0.5 * explained, explained}}};
        EXPECT_EQ(weights_of(one, kNobody, options_of(aggregation)), std::vector<double>{1.0});
      }
    }
  }
}

TEST(Aggregate, ExtremesNeverGiveNan) {
  constexpr double kTiny = std::numeric_limits<double>::min();
  // Far away (log k = −1e300), explained by nothing or by less than a normal number, or all but
  // explained; signal variances of 1e±300.
  const std::vector<double> similarities{0.0, -1e-16, -1.0, -700.0, -1e10, -1e300};
  const std::vector<LocalGp::Posterior> posteriors{{1.0, 0.0},   {1.0, 1e-320},  {2.2e-16, 1.0},
                                                   {1e300, 0.0}, {1e284, 1e300}, {kTiny, 1e-300}};
  testing::Random random(1);
  for (int trial = 0; trial < (testing::kSanitized ? 1'000 : 5'000); ++trial) {
    std::vector<Candidate> candidates;
    const Eigen::Index count = 1 + random.index(9);
    for (Eigen::Index i = 0; i < count; ++i) {
      candidates.push_back({similarities[static_cast<std::size_t>(random.index(6))],
                            posteriors[static_cast<std::size_t>(random.index(6))]});
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.log_similarity > b.log_similarity;
    });
    const double last = candidates.back().log_similarity;
    for (const double outsider : {kNobody, last, last - 1e-16, last * 2.0, -1e300}) {
      if (outsider > last) continue;
      for (const Aggregation aggregation : {Aggregation::evidence, Aggregation::similarity}) {
        for (const bool taper : {true, false}) {
          const std::vector<double> weights =
              weights_of(candidates, outsider, options_of(aggregation, taper));
          ASSERT_EQ(weights.size(), candidates.size());
          for (const double weight : weights) ASSERT_TRUE(weight >= 0.0 && weight <= 1.0);
          ASSERT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-14);
        }
      }
    }
  }
}

TEST(Aggregate, UnitsOfTheOutputDoNotMatter) {
  const Options options = options_of(Aggregation::evidence);
  const std::vector<Candidate> plain{{-0.1, {0.25, 0.75}}, {-0.5, {0.5, 0.5}}};
  for (const double unit : {0x1p-990, 0x1p990}) {
    std::vector<Candidate> scaled = plain;
    for (Candidate& one : scaled) {
      one.posterior.variance *= unit;
      one.posterior.explained *= unit;
    }
    const std::vector<double> expected = weights_of(plain, -1.0, options);
    const std::vector<double> actual = weights_of(scaled, -1.0, options);
    // Logs of up to ±700 are rounded to 700 ε.
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12);
  }
}

}  // namespace
}  // namespace splitgp
