// The one table of options is complete.
#include "core/options/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace splitgp {
namespace {

// Stands for a member of any type.
struct Any {
  template <typename T>
  operator T() const;  // NOLINT: only its type is used
};

// How many members an aggregate has: the most values it can be made from.
template <typename Aggregate, typename... Values>
constexpr int members() {
  if constexpr (requires { Aggregate{Values{}..., Any{}}; }) {
    return members<Aggregate, Values..., Any>();
  } else {
    return static_cast<int>(sizeof...(Values));
  }
}

TEST(OptionTable, HasEveryMember) {
  int options = 0;
  each_option([&](const OptionEntry&, auto) { ++options; });
  EXPECT_EQ(options - members<Comparison>() + 3, members<Options>())
      << "besides `fixed`, `hyperparameters` and `comparison`";
  int hyperparameters = 0;
  each_hyperparameter([&](const OptionEntry&, auto) { ++hyperparameters; });
  EXPECT_EQ(hyperparameters, members<Hyperparameters>());
  int fixed = 0;
  each_fixed([&](std::string_view, auto) { ++fixed; });
  EXPECT_EQ(fixed, members<FixedHyperparameters>());
}

TEST(OptionTable, EveryEntryCanBeExplained) {
  const Options defaults;
  std::vector<std::string> names;
  each_option([&](const OptionEntry& entry, auto of) {
    using Value = OptionValue<decltype(of)>;
    names.emplace_back(entry.name);
    EXPECT_FALSE(entry.help.empty()) << entry.name;
    EXPECT_FALSE(entry.help.ends_with('.')) << entry.name;
    if constexpr (std::is_same_v<Value, bool>) {
      // A switch is named after what it turns off: the help of --no-taper says what off means.
      EXPECT_EQ(entry.without.empty(), !of(defaults)) << entry.name;
    }
  });
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace splitgp
