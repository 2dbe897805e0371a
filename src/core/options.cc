#include "splitgp/options.h"

#include <array>
#include <string>
#include <utility>

#include "splitgp/error.h"

namespace splitgp {
namespace {

template <typename Enum>
struct Names;

template <>
struct Names<KernelFamily> {
  static constexpr std::array<std::pair<KernelFamily, std::string_view>, 6> kAll{{
      {KernelFamily::automatic, "auto"},
      {KernelFamily::rbf, "rbf"},
      {KernelFamily::matern12, "matern12"},
      {KernelFamily::matern32, "matern32"},
      {KernelFamily::matern52, "matern52"},
      {KernelFamily::rational_quadratic, "rational_quadratic"},
  }};
};

template <>
struct Names<Aggregation> {
  static constexpr std::array<std::pair<Aggregation, std::string_view>, 3> kAll{{
      {Aggregation::evidence, "evidence"},
      {Aggregation::similarity, "similarity"},
      {Aggregation::nearest, "nearest"},
  }};
};

template <>
struct Names<PrincipalDirection> {
  static constexpr std::array<std::pair<PrincipalDirection, std::string_view>, 2> kAll{{
      {PrincipalDirection::exact, "exact"},
      {PrincipalDirection::oja, "oja"},
  }};
};

template <>
struct Names<SplitSpace> {
  static constexpr std::array<std::pair<SplitSpace, std::string_view>, 2> kAll{{
      {SplitSpace::scaled, "scaled"},
      {SplitSpace::raw, "raw"},
  }};
};

template <>
struct Names<Training> {
  static constexpr std::array<std::pair<Training, std::string_view>, 3> kAll{{
      {Training::off, "off"},
      {Training::inlined, "inline"},
      {Training::background, "background"},
  }};
};

template <typename Enum>
std::string_view name_of(Enum value) {
  for (const auto& [known, name] : Names<Enum>::kAll) {
    if (known == value) return name;
  }
  return "?";
}

}  // namespace

std::string_view to_string(KernelFamily value) { return name_of(value); }
std::string_view to_string(Aggregation value) { return name_of(value); }
std::string_view to_string(PrincipalDirection value) { return name_of(value); }
std::string_view to_string(SplitSpace value) { return name_of(value); }
std::string_view to_string(Training value) { return name_of(value); }

template <typename Enum>
Enum parse(std::string_view field, std::string_view text) {
  std::string known_names;
  for (const auto& [value, name] : Names<Enum>::kAll) {
    if (name == text) return value;
    known_names += known_names.empty() ? "" : ", ";
    known_names += name;
  }
  throw InvalidArgument(std::string(field) + " is \"" + std::string(text) +
                        "\"; it must be one of " + known_names);
}

template KernelFamily parse<KernelFamily>(std::string_view, std::string_view);
template Aggregation parse<Aggregation>(std::string_view, std::string_view);
template PrincipalDirection parse<PrincipalDirection>(std::string_view, std::string_view);
template SplitSpace parse<SplitSpace>(std::string_view, std::string_view);
template Training parse<Training>(std::string_view, std::string_view);

Options Options::paper() {
  Options options;
  options.kernel = KernelFamily::rbf;
  options.aggregation = Aggregation::similarity;
  options.neighbors = 0;
  options.taper = false;
  options.inherit = false;
  options.split_space = SplitSpace::raw;
  return options;
}

}  // namespace splitgp
