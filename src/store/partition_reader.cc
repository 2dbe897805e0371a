#include "store/partition_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/options/validate.h"
#include "store/file_kind.h"
#include "store/membership.h"
#include "store/model_writer.h"
#include "store/number_list.h"
#include "store/table_rows.h"

namespace splitgp::store {
namespace {

using Eigen::Index;

// The θ of every local GP's factor.
std::vector<ThetaPointer> read_local_gps(const Database& database, const ThetaVersions& thetas) {
  std::vector<ThetaPointer> local_gps;
  TableReader rows(database, "local_gp", "number");
  while (rows.next()) {
    rows.integer("number", std::ssize(local_gps), std::ssize(local_gps));
    const auto theta = thetas.find(rows.count());
    if (theta == thetas.end()) rows.fail("its theta_version is not in table theta");
    rows.end_row();
    local_gps.push_back(theta->second);
  }
  return local_gps;
}

struct StoredSplit {
  SplitRecord record;
  std::optional<std::vector<std::uint64_t>> leaving;  // absent for splits before the file
};

std::vector<StoredSplit> read_splits(const Database& database, std::uint64_t first) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  std::vector<StoredSplit> splits;
  TableReader rows(database, "split", "number");
  while (rows.next()) {
    StoredSplit split;
    const std::int64_t next = static_cast<std::int64_t>(first) + std::ssize(splits);
    rows.integer("number", next, next);
    split.record.sequence = rows.count();
    split.record.parent = rows.integer("parent", 0, kLargest);
    split.record.child = rows.integer("child", 0, kLargest);
    split.record.parent_owned = rows.integer("parent_owned", 1, kLargest);
    split.record.child_owned = rows.integer("child_owned", 1, kLargest);
    if (const std::optional<std::string_view> leaving = rows.optional_text()) {
      split.leaving = to_sequence_numbers(*leaving);
      if (!split.leaving) rows.fail("leaving is not a list of sequence numbers");
      if (std::ssize(*split.leaving) != split.record.child_owned) {
        rows.fail("leaving and child_owned disagree");
      }
    }
    rows.end_row();
    splits.push_back(std::move(split));
  }
  return splits;
}

// The values of all observations, in order and contiguous in memory.
struct StoredValues {
  Index inputs;
  Index outputs;
  std::vector<double> values;           // x, y, noise variance
  std::vector<std::uint64_t> sequence;  // of a file with lists: some are missing

  // The row of an observation; size() if it is not there.
  std::size_t row(std::uint64_t number) const {
    const auto found = std::lower_bound(sequence.begin(), sequence.end(), number);
    if (found == sequence.end() || *found != number) return size();
    return static_cast<std::size_t>(found - sequence.begin());
  }

  Index width() const { return inputs + outputs + 1; }
  std::uint64_t size() const { return values.size() / static_cast<std::size_t>(width()); }
  // Reserves room for `count`, but never for more than a file of that size can hold: a value takes
  // at least a byte.
  void reserve(std::uint64_t count, std::uintmax_t file_size) {
    const auto columns = static_cast<std::size_t>(width());
    values.reserve(std::min<std::size_t>(count, file_size / columns) * columns);
  }
  const double* x(std::uint64_t number) const {
    const std::size_t at = sequence.empty() ? number : row(number);
    return values.data() + at * static_cast<std::size_t>(width());
  }
};

void read_values(TableReader& rows, StoredValues& observations) {
  for (Index k = 0; k < observations.width(); ++k) {
    const double value = rows.real();
    if (!(std::abs(value) <= kLargestMagnitude)) rows.fail("a value is not finite, or too large");
    observations.values.push_back(value);
  }
  if (observations.values.back() < 0.0) rows.fail("noise_variance is negative");
}

// The local GPs that were there when the file was created.
void start(Membership& membership, const Database& database,
           const std::vector<std::uint64_t>& owner_at_start) {
  std::uint64_t owned = 0;
  TableReader rows(database, "local_gp_at_start", "number");
  while (rows.next()) {
    const auto number = static_cast<std::uint64_t>(membership.size());
    if (rows.count() != number) rows.fail("local GP " + std::to_string(number) + " is missing");
    std::optional<std::vector<std::uint64_t>> sequence = to_sequence_numbers(rows.text());
    rows.end_row();
    if (!sequence) rows.fail("points is not a list of sequence numbers");
    Membership::Members points;
    points.sequence = std::move(*sequence);
    for (const std::uint64_t one : points.sequence) {
      if (one >= owner_at_start.size()) rows.fail("it holds an observation that came later");
      points.owned.push_back(owner_at_start[one] == number ? 1 : 0);
      points.n_owned += points.owned.back();
    }
    owned += static_cast<std::uint64_t>(points.n_owned);
    membership.start_with(std::move(points));
  }
  // No list names an observation twice, so this checks that every one has exactly one owner.
  if (owned != owner_at_start.size()) throw Inconsistent("there are observations without an owner");
}

// Reads table borrowing along with the observations; a file of format 1 has none.
class BorrowingReader {
 public:
  explicit BorrowingReader(const Database& database) {
    if (format_version(database) < 2) return;
    rows_.emplace(database, "borrowing", "sequence, local_gp");
    advance();
  }

  void replay(std::uint64_t sequence, Membership& membership) {
    for (; next_ && next_->sequence == sequence; advance()) {
      membership.borrow(sequence, next_->local_gp, next_->displaced);
    }
  }
  void finish() const {
    if (next_) rows_->fail("its observation does not exist, or was there from the start");
  }

 private:
  void advance() {
    next_.reset();
    if (!rows_->next()) return;
    const std::uint64_t sequence = rows_->count();
    const std::uint64_t local_gp = rows_->count();
    next_ = Borrowed{sequence, local_gp, rows_->optional_integer()};
    rows_->end_row();
  }

  std::optional<TableReader> rows_;
  struct Borrowed {
    std::uint64_t sequence;
    std::uint64_t local_gp;
    std::optional<std::uint64_t> displaced;
  };
  std::optional<Borrowed> next_;
};

// Observations and, from what each of them did, the points of every local GP.
std::vector<Membership::Members> replay(const Database& database, const ModelNumbers& numbers,
                                        const Options& options,
                                        const std::vector<StoredSplit>& splits,
                                        StoredValues& observations) {
  const std::uint64_t at_start = numbers.count("observations_at_start");
  Membership membership(options);
  BorrowingReader borrowings(database);
  std::vector<std::uint64_t> owner_at_start;
  bool started = false;
  auto split = splits.begin();
  while (split != splits.end() && !split->leaving) ++split;
  std::uint64_t next = 0;

  TableReader rows(database, "observation", "sequence");
  try {
    while (rows.next()) {
      if (rows.count() != next) rows.fail("observation " + std::to_string(next) + " is missing");
      read_values(rows, observations);
      const std::uint64_t local_gp = rows.count();
      const std::optional<std::int64_t> displaced = rows.optional_integer();
      rows.end_row();
      if (next < at_start) {
        owner_at_start.push_back(local_gp);
      } else {
        if (!std::exchange(started, true)) start(membership, database, owner_at_start);
        membership.route(next, local_gp, displaced);
        if (split != splits.end() && split->record.sequence == next) {
          membership.split(split->record.parent, split->record.child, *split->leaving);
          do ++split;
          while (split != splits.end() && !split->leaving);
        }
        borrowings.replay(next, membership);
      }
      ++next;
    }
    numbers.check("observations", next);
    if (!started) start(membership, database, owner_at_start);
    if (split != splits.end()) throw Inconsistent("there are splits that no observation caused");
    borrowings.finish();
    return std::move(membership).finish();
  } catch (const Inconsistent& error) {
    rows.fail(error.what());
  }
}

// A file with lists: the observations that are left, and the points of every local GP as they are.
std::vector<Membership::Members> read_lists(const Database& database, const ModelNumbers& numbers,
                                            const Options& options, StoredValues& observations) {
  TableReader values(database, "observation", "sequence");
  while (values.next()) {
    const std::uint64_t sequence = values.count();
    if (sequence >= numbers.count("observations")) values.fail("it was never learned");
    read_values(values, observations);
    values.count();  // where it was routed, and what it displaced: numbers of long ago
    values.optional_integer();
    values.end_row();
    observations.sequence.push_back(sequence);
  }
  numbers.check("held", observations.size());

  Membership membership(options);
  std::vector<std::uint8_t> has_owner(observations.size(), 0);
  std::uint64_t owned = 0;
  TableReader rows(database, "local_gp_points", "number");
  while (rows.next()) {
    rows.integer("number", membership.size(), membership.size());
    Membership::Members points;
    std::optional<std::vector<std::uint64_t>> sequence = to_sequence_numbers(rows.text());
    if (!sequence) rows.fail("points is not a list of sequence numbers");
    points.sequence = std::move(*sequence);
    const std::string_view flags = rows.text();
    if (flags.size() != points.sequence.size()) rows.fail("owned and points disagree");
    for (std::size_t j = 0; j < flags.size(); ++j) {
      const std::size_t row = observations.row(points.sequence[j]);
      if (row == observations.size()) rows.fail("it holds an observation that is not there");
      if (flags[j] != '0' && flags[j] != '1') rows.fail("owned is not made of 0 and 1");
      points.owned.push_back(flags[j] == '1' ? 1 : 0);
      if (flags[j] == '0') continue;
      ++points.n_owned;
      if (std::exchange(has_owner[row], std::uint8_t{1}) != 0)
        rows.fail("it owns what another one owns");
    }
    rows.end_row();
    owned += static_cast<std::uint64_t>(points.n_owned);
    try {
      membership.add_listed(std::move(points));
    } catch (const Inconsistent& error) {
      rows.fail(error.what());
    }
  }
  if (owned != observations.size())
    throw damaged(database.path(), "there are observations without an owner");
  return std::move(membership).finish();
}

// The times of the observations that have not expired.
void read_times(const Database& database, const StoredValues& observations, Expiry& expiry) {
  TableReader rows(database, "observation_time", "sequence");
  while (rows.next()) {
    Expiry::Entry entry{rows.count(), rows.real()};
    rows.end_row();
    if (!(std::abs(entry.time) <= kLargestMagnitude)) rows.fail("time is not finite");
    if (observations.row(entry.sequence) == observations.size())
      rows.fail("its observation is not there");
    if (!expiry.empty() && entry.time < expiry.newest().time)
      rows.fail("it is earlier than the one before");
    expiry.add(entry);
  }
  if (expiry.size() != observations.size())
    throw damaged(database.path(), "there are observations without a time");
}

LocalGp restore(const StoredValues& observations, Membership::Members&& points, ThetaPointer theta,
                const Options& options) {
  const Index n = std::ssize(points.sequence);
  LocalGp::Points restored;
  restored.inputs.resize(n, observations.inputs);
  restored.outputs.resize(n, observations.outputs);
  restored.noise_variance.resize(n);
  for (Index j = 0; j < n; ++j) {
    const double* x = observations.x(points.sequence[static_cast<std::size_t>(j)]);
    const double* y = x + observations.inputs;
    for (Index k = 0; k < observations.inputs; ++k) restored.inputs(j, k) = x[k];
    for (Index o = 0; o < observations.outputs; ++o) restored.outputs(j, o) = y[o];
    restored.noise_variance(j) = y[observations.outputs];
  }
  restored.sequence = std::move(points.sequence);
  restored.owned = std::move(points.owned);
  return LocalGp::restore(std::move(restored), std::move(theta), options);
}

}  // namespace

void read_partition(const Database& database, const ModelNumbers& numbers,
                    const ThetaVersions& thetas, ModelState& state) {
  const std::vector<ThetaPointer> local_gps = read_local_gps(database, thetas);
  const bool may_drop = format_version(database) >= 3;
  const bool lists = may_drop && numbers.flag("listed");
  state.partition.splits_dropped = may_drop ? numbers.count("splits_dropped") : 0;
  const std::vector<StoredSplit> splits = read_splits(database, state.partition.splits_dropped);
  StoredValues observations{state.inputs, state.outputs, {}, {}};
  observations.reserve(numbers.count(lists ? "held" : "observations"), database.size());
  std::vector<Membership::Members> members =
      lists ? read_lists(database, numbers, state.options, observations)
            : replay(database, numbers, state.options, splits, observations);
  if (members.size() != local_gps.size()) {
    throw damaged(database.path(), "table local_gp has " + std::to_string(local_gps.size()) +
                                       " rows for " + std::to_string(members.size()) +
                                       " local GPs");
  }
  numbers.check("local_gps", members.size());
  numbers.check("splits", state.partition.splits_dropped + splits.size());

  state.knowledge.observations = numbers.count("observations");
  state.partition.held = observations.size();
  for (const StoredSplit& split : splits) state.partition.split_history.push_back(split.record);
  for (std::size_t i = 0; i < members.size(); ++i) {
    state.partition.local_gps.push_back(
        restore(observations, std::move(members[i]), local_gps[i], state.options));
    state.partition.centers.set(static_cast<Index>(i), state.partition.local_gps.back().center(),
                                state.knowledge.theta->kernel);
  }
  state.partition.renewing.cursor = numbers.at("refit_cursor", 0, std::ssize(members));
  // Files of libraries that merged at once do not have it.
  if (numbers.has("merging"))
    state.retention.merging = numbers.at("merging", -1, std::ssize(members) - 1);
  state.partition.renewing.version = state.knowledge.theta->version;
  state.partition.may_be_dormant = true;
  if (lists) {
    state.partition.oldest =
        observations.sequence.empty() ? state.knowledge.observations : observations.sequence[0];
    if (state.options.max_age > 0.0) read_times(database, observations, state.retention.expiry);
  }
  if (lists || forgets(state.options)) {
    state.partition.holders = {};
    state.partition.know_holders();
  }
}

}  // namespace splitgp::store
