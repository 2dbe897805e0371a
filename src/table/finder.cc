#include "table/finder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "io/column_places.h"
#include "io/number.h"
#include "io/printable.h"
#include "splitgp/error.h"
#include "table/code.h"
#include "table/find_time.h"
#include "table/gap_evidence.h"
#include "table/words.h"

namespace splitgp::table {
namespace {

// Fewer rows than these say nothing about what a column cannot be.
constexpr std::size_t kEnoughRows = 20;
constexpr Fill kDefaultFill = Fill::automatic;

std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

// "the first 1,000 rows"
std::string first_rows(std::size_t rows) {
  return rows == 1 ? "the first row" : "the first " + with_commas(rows) + " rows";
}

std::vector<std::string> common_levels(const ColumnLook& look) {
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [level, count] : look.levels) order.emplace_back(count, level);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr std::size_t kMost = 32;  // the widest code
  std::vector<std::string> levels;
  for (std::size_t k = 0; k < std::min(order.size(), kMost); ++k) levels.push_back(order[k].second);
  return levels;
}

// Decides about columns that are no times.
class Kinds {
 public:
  Kinds(const Wishes& wishes, Fill fill, bool complete, bool has_time,
        std::vector<std::string>& remarks)
      : wishes_(wishes),
        inputs_(wishes.inputs),
        fill_(fill),
        complete_(complete),
        has_time_(has_time),
        remarks_(remarks) {}

  /// `telling`: the gaps say something of a target by themselves.
  void decide(Column& column, const ColumnLook& look, bool telling) {
    telling_ = telling;
    const auto wish = wishes_.as.find(column.name);
    const bool asked = inputs_.has(column.name);
    if (wish != wishes_.as.end()) {
      if (wish->second == As::number) number(column, look);
      if (wish->second == As::category) category(column, look);
      return;
    }
    if (look.rows == 0) return number(column, look);
    if (look.values() == 0) {
      if (!asked && look.rows < kEnoughRows) {
        column.use = Use::open;
        column.width = code_width(0);
        column.why = "open: empty in " + first_rows(look.rows) + ", so its first value will show";
        return;
      }
      if (!asked) {
        return leave_out(column, "empty in " + first_rows(look.rows) + "; --as " +
                                     printable(column.name) + "=number takes it");
      }
      return number(column, look);
    }
    if (2 * look.numbers >= look.values()) {
      const bool constant = look.low == look.high && look.gaps == 0;
      if (!asked && constant && complete_ && look.rows >= kEnoughRows) {
        return leave_out(column, "the same in all " + with_commas(look.rows) + " rows");
      }
      if (!asked && has_time_ && look.counts_rows && look.rows >= kEnoughRows) {
        return leave_out(column, "it counts the rows, which the time does too");
      }
      return number(column, look);
    }
    text(column, look, asked);
  }

 private:
  std::string_view filling() const {
    switch (fill_) {
      case Fill::reject:
        return "which are rejected";
      case Fill::last:
      case Fill::last_marked:
        return "filled with the last value";
      case Fill::mean:
      case Fill::mean_marked:
        return "filled with the mean so far";
      case Fill::automatic:
        break;
    }
    return "filled with a guess between the last value and the mean";
  }

  void leave_out(Column& column, const std::string& why) {
    column.use = Use::none;
    column.why = "left out: " + why;
  }

  void mark_gaps(Column& column, const ColumnLook& look) {
    column.start = look.mean;
    if (look.gaps == 0) return;
    column.marked = fill_ == Fill::mean_marked || fill_ == Fill::last_marked ||
                    (fill_ == Fill::automatic && telling_);
    column.why += "; missing in " + with_commas(look.gaps) + " of " + first_rows(look.rows) + ", " +
                  std::string(filling()) + (column.marked ? " and marked" : "");
  }

  void number(Column& column, const ColumnLook& look) {
    column.use = Use::number;
    column.why = "number";
    if (look.rows >= kEnoughRows && look.numbers > 0 && look.low == look.high) {
      column.why += ", the same in " + first_rows(look.rows);
    }
    mark_gaps(column, look);
    if (look.numbers < look.values()) {
      remarks_.push_back(
          "column " + shown(column.name) + ": " + with_commas(look.values() - look.numbers) +
          " of " + first_rows(look.rows) + " have no number there, and such rows are rejected");
    }
    say_code(column, look);
  }

 public:
  void say_code(const Column& column, const ColumnLook& look) {
    if (look.code.empty()) return;
    codes_[look.code].push_back(shortened(column.name) + " " + with_commas(look.code_count));
  }

  /// One remark for each code, however many columns have it.
  void say_codes(std::size_t rows) {
    for (const auto& [code, columns] : codes_) {
      std::string names;
      for (const std::string& name : columns) names += (names.empty() ? "" : ", ") + name;
      remarks_.push_back(code + " looks like a missing value (times in " + first_rows(rows) + ": " +
                         names + "); --missing=" + code + " declares it");
    }
  }

 private:
  void category(Column& column, const ColumnLook& look) {
    column.use = Use::category;
    column.levels = common_levels(look);
    column.width = code_width(look.levels.size());
    column.why = "category: " + with_commas(look.levels.size()) +
                 (look.levels.size() == 1 ? " level" : " levels") + " in " + first_rows(look.rows);
    for (std::size_t k = 0; k < std::min<std::size_t>(column.levels.size(), 3); ++k) {
      column.why += (k == 0 ? ", such as " : ", ") + shortened(column.levels[k]);
    }
    if (look.gaps > 0) {
      column.why += "; missing in " + with_commas(look.gaps) +
                    (fill_ == Fill::reject ? ", which are rejected" : ", a level of its own");
    }
  }

  void text(Column& column, const ColumnLook& look, bool asked) {
    std::set<std::string> distinct;
    for (const auto& level : look.levels) distinct.insert(plain_word(level.first));
    const std::vector<std::string> words(distinct.begin(), distinct.end());
    if (const std::vector<std::string> pair = boolean_words(words); !pair.empty()) {
      column.use = Use::boolean;
      column.levels = pair;
      column.why = pair[0] + " or " + pair[1] + ", as 0 or 1";
      return mark_gaps(column, look);
    }
    if (const std::vector<std::string> scale = ordered_scale(words); !scale.empty()) {
      column.use = Use::ordered;
      column.levels = scale;
      column.why = "ordered:";
      for (const std::string& level : scale) {
        if (place_of_any(level, words)) {
          column.why +=
              (column.why.ends_with(':') ? " " : " < ") + level.substr(0, level.find('|'));
        }
      }
      return mark_gaps(column, look);
    }
    const bool enough = look.values() >= kEnoughRows && !asked;
    if (enough && look.levels.size() == 1 && look.gaps == 0) {
      return leave_out(column, "the same in " + first_rows(look.rows) + " (" +
                                   shortened(look.levels.begin()->first) + "); --as " +
                                   printable(column.name) + "=category takes it");
    }
    if (enough && look.levels.size() == look.values()) {
      return leave_out(column, "text that is different in each of " + first_rows(look.rows) +
                                   ", such as an id; --as " + printable(column.name) +
                                   "=category takes it");
    }
    constexpr std::size_t kSentence = 40;
    if (enough && look.letters > kSentence * look.values() &&
        2 * look.levels.size() > look.values()) {
      return leave_out(column, "free text; --as " + printable(column.name) + "=category takes it");
    }
    category(column, look);
  }

  static bool place_of_any(const std::string& level, const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return place_on_scale({level}, word) == 0; });
  }

  const Wishes& wishes_;
  ColumnPlaces inputs_;
  Fill fill_;
  bool complete_;
  bool has_time_;
  bool telling_ = false;
  std::vector<std::string>& remarks_;
  std::map<std::string, std::vector<std::string>> codes_;
};

}  // namespace

RecipeFinder::RecipeFinder(std::vector<std::string> columns, Wishes wishes)
    : columns_(std::move(columns)), wishes_(std::move(wishes)), values_(columns_.size()) {}

void RecipeFinder::add(Cells cells) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    values_[c].push_back({cells[c].kind, cells[c].number, std::string(cells[c].text)});
  }
  ++rows_;
}

Found RecipeFinder::find() const {
  const ColumnPlaces places(columns_);
  const auto known = [&places](const std::string& name, const std::string& flag) {
    const std::optional<std::size_t> found = places.find(name);
    if (!found) throw InvalidArgument(flag + ": there is no column " + shown(name));
    return *found;
  };
  const ColumnPlaces inputs(wishes_.inputs), targets(wishes_.targets),
      ignored_ones(wishes_.ignored);
  Recipe::Parts parts;
  std::vector<std::string> remarks, empty;
  parts.decimal_mark =
      wishes_.decimal_mark != '\0' ? wishes_.decimal_mark : find_decimal_mark(values_);
  parts.missing = wishes_.missing;
  parts.fill = wishes_.fill.value_or(kDefaultFill);
  parts.lags = wishes_.lags;
  parts.by = wishes_.by;
  parts.horizon = wishes_.horizon;
  for (const std::string& name : columns_) parts.columns.push_back({name});
  for (const std::string& name : wishes_.targets) parts.targets.push_back(known(name, "--target"));
  for (const auto& [name, as] : wishes_.as) known(name, "--as");
  for (const Lags& lags : wishes_.lags) known(lags.column, "--lag");
  if (!wishes_.by.empty()) known(wishes_.by, "--by");

  GapRule gaps{parts.missing, {}, parts.decimal_mark};
  for (const std::string& text : parts.missing) {
    double number = 0.0;
    if (!parse_number(text, parts.decimal_mark, number) || !parse_number(text, '.', number)) {
      gaps.numbers.push_back(number);
    }
  }
  std::vector<ColumnLook> looks;
  std::vector<bool> input(columns_.size()), may_be_time(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    looks.push_back(look_at(values_[c], gaps));
    const std::string& name = columns_[c];
    const auto wish = wishes_.as.find(name);
    const bool wished = wish != wishes_.as.end();
    const bool target = targets.has(name);
    const bool ignored = ignored_ones.has(name) || (wished && wish->second == As::ignore) ||
                         (!wishes_.inputs.empty() && !inputs.has(name) && !wished);
    input[c] = !target && !ignored;
    may_be_time[c] =
        input[c] && (!wished || (wish->second != As::number && wish->second != As::category));
    parts.columns[c].why = target ? "target" : "left out, as asked";
  }
  parts.times =
      find_times({columns_, values_, looks, may_be_time, wishes_, gaps}, parts.columns, remarks);
  // Whether the gaps of a column are news: then a mark says where they were.
  const auto tells = [&](std::size_t c) {
    if (parts.fill != Fill::automatic || looks[c].gaps == 0 || looks[c].values() == 0) return false;
    std::vector<bool> gap;
    for (const FirstValue& value : values_[c]) gap.push_back(gaps.is_gap(value));
    return std::any_of(parts.targets.begin(), parts.targets.end(), [&](std::size_t target) {
      return gaps_tell(gap, numbers_in(values_[target], gaps));
    });
  };
  Kinds kinds(wishes_, parts.fill, complete_, !parts.times.empty(), remarks);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = parts.columns[c];
    if (input[c] && column.use != Use::time) kinds.decide(column, looks[c], tells(c));
    if (input[c] && column.use == Use::none && looks[c].values() == 0) {
      empty.push_back(column.name);
    }
    if (targets.has(column.name)) {
      column.start = looks[c].mean;
      if (looks[c].gaps > 0) {
        column.why += "; missing in " + with_commas(looks[c].gaps) + " of " +
                      first_rows(looks[c].rows) +
                      (parts.fill == Fill::reject ? ", which are rejected"
                                                  : ", which are predicted and not learned");
      }
      kinds.say_code(column, looks[c]);
    }
    if (column.name == wishes_.by) {
      column.why += (column.use == Use::none ? "; " : ", and ") + std::string("keeps series apart");
    }
  }
  kinds.say_codes(rows_);
  return {Recipe(std::move(parts)), std::move(remarks), std::move(empty)};
}

}  // namespace splitgp::table
