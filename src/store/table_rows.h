#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/checksum.h"
#include "store/database.h"

namespace splitgp::store {

/// The largest count in a file: small enough to be added to without overflow.
inline constexpr std::int64_t kMostCounted = std::numeric_limits<std::int64_t>::max() / 4;

struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementPointer = std::unique_ptr<sqlite3_stmt, FinishStatement>;

/// Deletes rows of one table by one number.
class RowEraser {
 public:
  /// `condition` has one question mark, for the number: "sequence = ?".
  RowEraser(Database& database, const std::string& table, const std::string& condition);
  void erase(std::uint64_t number);

 private:
  Database& database_;
  StatementPointer statement_;
};

/// Writes rows of one table, value by value in the order of its columns; the checksum comes last.
class TableWriter {
 public:
  /// What happens to a row with the key of an older one.
  enum class Same {
    fails,     ///< The table is a history: someone else has written to the file.
    replaces,  ///< The table holds the current state.
  };
  /// `columns` includes the checksum.
  TableWriter(Database& database, const std::string& table, int columns, Same same);

  TableWriter& add(std::int64_t value);
  TableWriter& add(std::uint64_t value) { return add(static_cast<std::int64_t>(value)); }
  TableWriter& add(double value);
  TableWriter& add(std::string_view text);         ///< The text must live until write().
  TableWriter& add_bytes(std::string_view bytes);  ///< They must live until write().
  TableWriter& add_null();
  TableWriter& add(std::optional<std::uint64_t> value) { return value ? add(*value) : add_null(); }
  void write();

 private:
  void check(int code);

  Database& database_;
  StatementPointer statement_;
  Checksum checksum_;
  int column_ = 0;
};

/// Reads all rows of one table, value by value in the order of its columns. Types need no check:
/// SQLite converts what it finds, but the checksum does not. Keys do: a damaged table may return
/// the same row over and over.
class TableReader {
 public:
  TableReader(const Database& database, std::string table, std::string_view order_by);

  /// Moves to the next row; false if there is none.
  bool next();
  std::int64_t integer();
  std::uint64_t count() { return static_cast<std::uint64_t>(integer()); }
  /// Throws FileError unless it lies in [low, high].
  std::int64_t integer(std::string_view column, std::int64_t low, std::int64_t high);
  bool flag(std::string_view column) { return integer(column, 0, 1) != 0; }
  double real();
  std::string_view text();   ///< Valid until next().
  std::string_view bytes();  ///< Valid until next().
  std::optional<std::int64_t> optional_integer();
  std::optional<std::string_view> optional_text();
  /// Call after every column but the checksum: throws FileError if that does not match.
  void end_row();

  [[noreturn]] void fail(const std::string& what) const;

 private:
  bool null() const;

  const Database& database_;
  std::string table_;
  StatementPointer statement_;
  Checksum checksum_;
  int column_ = 0;
  int columns_ = 0;
  std::uint64_t row_ = 0;
};

}  // namespace splitgp::store
