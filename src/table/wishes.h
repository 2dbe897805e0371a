#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace splitgp::table {

/// What a user says a column is.
enum class As { number, category, time, day_first, month_first, ignore };

/// Cycles that a time has a position in.
enum class Cycle { day, week, year };

/// What takes the place of a missing number.
enum class Fill {
  automatic,  ///< The best guess by the values so far.
  mean,
  last,
  mean_marked,
  last_marked,
  reject
};

/// Earlier values of a column that become inputs: `rows` rows before, in the same series.
struct Lags {
  std::string column;
  std::vector<int> rows;
  bool operator==(const Lags&) const = default;
};

/// What a user asks of a recipe; what is left empty is found from the first rows. Columns are given
/// by name. The flags of `splitgp stream` and the keywords of Python are this.
struct Wishes {
  std::vector<std::string> targets;
  std::vector<std::string> inputs;  ///< Empty: all that can help.
  std::vector<std::string> ignored;
  std::map<std::string, As> as;
  std::optional<std::vector<Cycle>> cycles;
  std::vector<std::string> missing;  ///< Texts that mean "no value", beside the usual ones.
  std::optional<Fill> fill;
  std::vector<Lags> lags;
  std::string by;            ///< Rows with the same value of this column are one series.
  int horizon = 0;           ///< Predict the target so many rows ahead.
  char decimal_mark = '\0';  ///< '\0': found.
};

/// The parsers of the flags' texts; throw InvalidArgument that names the flag.
std::pair<std::string, As> parse_as(std::string_view text);  ///< "COL=category"
Lags parse_lags(std::string_view text);                      ///< "COL:1,24,168"
std::vector<Cycle> parse_cycles(std::string_view text);      ///< "day,week", "none"
Fill parse_fill(std::string_view text);                      ///< "mean", "last-marked"

std::string_view to_string(As as);
std::string_view to_string(Cycle cycle);
std::string_view to_string(Fill fill);

}  // namespace splitgp::table
