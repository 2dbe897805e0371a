#pragma once

#include <cstdint>
#include <vector>

#include "core/watch/drift.h"
#include "store/packed_numbers.h"
#include "store/table_rows.h"

namespace splitgp::store {

/// Table drift_part: what the groups of cells know (core/watch/drift.h), written one after the
/// other.
///
/// A row of the stream changes a dozen groups of possibly millions. A table with a place for each
/// would have a page of the file written for nearly every one of them, more and more as the model
/// grows. So each checkpoint appends one part with all groups that changed, and a group is what the
/// last part that has it says. For each of them it also repeats one that did not change, in turn:
/// once all have been repeated, the parts from before are of no use, and are deleted little by
/// little. So a checkpoint costs what its rows cost, and the table holds each group four times at
/// most.
class DriftParts {
 public:
  explicit DriftParts(Database& database);

  /// Continues a table that was just read.
  void resume(const Database& database);

  /// Appends what has changed, or everything if the table is empty.  REQUIRES: a transaction.
  void write(const Drift& drift);
  /// The transaction was committed. Without this call the next write() writes the same once more.
  void committed() { held_ = next_; }

 private:
  struct Table {
    std::uint64_t begin = 0;   // the first part
    std::uint64_t end = 0;     // after the last one
    std::uint64_t needed = 0;  // parts before this one are of no use
    std::uint64_t round = 0;   // the first part that repeats groups of this round
    std::uint64_t cursor = 0;  // the next group to repeat
  };
  void choose(const Drift& drift);

  TableWriter part_;
  RowEraser erase_;
  Table held_;  // in the file
  Table next_;  // after the current transaction
  std::vector<Eigen::Index> chosen_;
  PackedNumbers packed_;
};

/// The groups, into a model whose partition was read. Throws FileError if some are missing.
void read_drift_parts(const Database& database, Drift& drift, Eigen::Index local_gps);

}  // namespace splitgp::store
