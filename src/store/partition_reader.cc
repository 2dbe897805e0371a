#include "store/partition_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/validate.h"
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

std::vector<StoredSplit> read_splits(const Database& database) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  std::vector<StoredSplit> splits;
  TableReader rows(database, "split", "number");
  while (rows.next()) {
    StoredSplit split;
    rows.integer("number", std::ssize(splits), std::ssize(splits));
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
  std::vector<double> values;  // x, y, noise variance

  Index width() const { return inputs + outputs + 1; }
  std::uint64_t size() const { return values.size() / static_cast<std::size_t>(width()); }
  // Reserves room for `count`, but never for more than a file of that size can hold: a value takes
  // at least a byte.
  void reserve(std::uint64_t count, std::uintmax_t file_size) {
    const auto columns = static_cast<std::size_t>(width());
    values.reserve(std::min<std::size_t>(count, file_size / columns) * columns);
  }
  const double* x(std::uint64_t sequence) const {
    return values.data() + sequence * static_cast<std::size_t>(width());
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
    next_ = Steps::Borrowed{sequence, local_gp, rows_->optional_integer()};
    rows_->end_row();
  }

  std::optional<TableReader> rows_;
  std::optional<Steps::Borrowed> next_;
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
  const std::vector<StoredSplit> splits = read_splits(database);
  StoredValues observations{state.inputs, state.outputs, {}};
  observations.reserve(numbers.count("observations"), database.size());
  std::vector<Membership::Members> members =
      replay(database, numbers, state.options, splits, observations);
  if (members.size() != local_gps.size()) {
    throw damaged(database.path(), "table local_gp has " + std::to_string(local_gps.size()) +
                                       " rows for " + std::to_string(members.size()) +
                                       " local GPs");
  }
  numbers.check("local_gps", members.size());
  numbers.check("splits", splits.size());

  state.knowledge.observations = observations.size();
  state.partition.held = observations.size();
  for (const StoredSplit& split : splits) state.partition.split_history.push_back(split.record);
  for (std::size_t i = 0; i < members.size(); ++i) {
    state.partition.local_gps.push_back(
        restore(observations, std::move(members[i]), local_gps[i], state.options));
    state.partition.centers.set(static_cast<Index>(i), state.partition.local_gps.back().center(),
                                state.knowledge.theta->kernel);
  }
  state.partition.refit_cursor = numbers.at("refit_cursor", 0, std::ssize(members));
  state.partition.refit_version = state.knowledge.theta->version;
  state.partition.may_be_dormant = true;
}

}  // namespace splitgp::store
