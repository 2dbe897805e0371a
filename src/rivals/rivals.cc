// The public classes of rivals.h; their work is compiled once per instruction set.

#include "rivals/rivals.h"

#include <string>
#include <utility>

#include "rivals/compiled_rivals.h"
#include "rivals/regressor.h"

namespace splitgp::rivals {

using Eigen::Index;

namespace {

constexpr std::pair<Combination, std::string_view> kCombinations[] = {{Combination::rbcm, "rbcm"},
                                                                      {Combination::bcm, "bcm"},
                                                                      {Combination::poe, "poe"},
                                                                      {Combination::gpoe, "gpoe"}};

constexpr std::pair<LeafCombination, std::string_view> kLeafCombinations[] = {
    {LeafCombination::gpoe, "gpoe"}, {LeafCombination::moe, "moe"}};

}  // namespace

std::string_view to_string(Combination value) {
  for (const auto& [known, name] : kCombinations) {
    if (known == value) return name;
  }
  return "?";
}

Combination parse_combination(std::string_view field, std::string_view text) {
  for (const auto& [value, name] : kCombinations) {
    if (name == text) return value;
  }
  throw InvalidArgument(std::string(field) + " is \"" + std::string(text) +
                        "\"; it must be one of rbcm, bcm, poe, gpoe");
}

std::string_view to_string(LeafCombination value) {
  for (const auto& [known, name] : kLeafCombinations) {
    if (known == value) return name;
  }
  return "?";
}

LeafCombination parse_leaf_combination(std::string_view field, std::string_view text) {
  for (const auto& [value, name] : kLeafCombinations) {
    if (name == text) return value;
  }
  throw InvalidArgument(std::string(field) + " is \"" + std::string(text) +
                        "\"; it must be one of gpoe, moe");
}

FullGp::FullGp(Index inputs, Index outputs, const Options& options)
    : Regressor(State::make(inputs, outputs, options, [&](const RivalState& model) {
        return compiled_rivals().full_gp(model, options);
      })) {}

RobustBcm::RobustBcm(Index inputs, Index outputs, const Options& options)
    : Regressor(State::make(inputs, outputs, options, [&](const RivalState& model) {
        return compiled_rivals().robust_bcm(model, options);
      })) {}

LocalGpRegression::LocalGpRegression(Index inputs, Index outputs, const Options& options)
    : Regressor(State::make(inputs, outputs, options, [&](const RivalState& model) {
        return compiled_rivals().local_gp_regression(model, options);
      })) {}

LocallyGrowingGp::LocallyGrowingGp(Index inputs, Index outputs, const Options& options)
    : Regressor(State::make(inputs, outputs, options, [&](const RivalState& model) {
        return compiled_rivals().locally_growing_gp(model, options);
      })) {}

}  // namespace splitgp::rivals
