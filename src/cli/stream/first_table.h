#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/stream/first_rows.h"
#include "cli/stream/stream.h"
#include "table/finder.h"

namespace splitgp {

/// The first rows of a stream, kept in notes of the model file until there are enough of them to
/// settle what its columns are: table::kFirstRows, or a megabyte. A live pipe may show a single row
/// before the model has to begin.
class FirstTable {
 public:
  enum class Fate : char { expected = '.', taken = 't', rejected = 'r' };
  struct KeptRow {
    std::vector<std::string> texts;  ///< Of columns().
    Fate fate = Fate::expected;      ///< Expected: looked at, but not delivered yet.
  };

  /// The recipe was found from `looked`, of an input with this header.
  FirstTable(std::vector<std::string> header, const FirstRows& looked);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<KeptRow>& rows() const { return rows_; }
  /// How many rows were delivered.
  std::size_t size() const { return delivered_; }

  void add(std::vector<std::string> texts, bool taken);
  /// Whether there are twice as many rows as when they were last looked at, or all that will be
  /// kept.
  bool due() const;
  bool settled() const;
  /// What the columns are, from all rows that were delivered.
  table::Found find(const StreamFlags& flags);
  /// From the rows that were looked at last.
  table::Found find_again(const StreamFlags& flags) const;

  using ReadNote = std::function<std::optional<std::string>(const std::string& key)>;
  using WriteNote = std::function<void(const std::string& key, std::string text)>;
  /// Writes the notes that have changed.
  void save(const WriteNote& set_note);
  /// Overwrites them: the recipe is settled, or what they hold was forgotten.
  void erase(const WriteNote& set_note) const;
  /// Empty if there are none. Throws FileError if they make no sense.
  static std::optional<FirstTable> load(const ReadNote& note);

 private:
  FirstTable() = default;
  table::Found find_from(const StreamFlags& flags, std::size_t rows, bool complete) const;
  void keep(std::vector<std::string> texts);

  std::vector<std::string> header_;   // as the input has it, for flags that name columns by number
  std::vector<std::string> columns_;  // those that it has once
  std::vector<KeptRow> rows_;
  std::size_t delivered_ = 0;
  std::size_t looked_ = 0;  // the recipe was found from so many …
  bool complete_ = false;   // … and they were all of the input
  std::size_t bytes_ = 0;
  std::size_t saved_ = 0;  // rows before this one are in the file as they are
  bool changed_ = true;
};

}  // namespace splitgp
