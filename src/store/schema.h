#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "store/database.h"

namespace splitgp::store {

inline constexpr std::uint32_t kApplicationId = 0x53704750;  // "SpGP"
inline constexpr std::uint32_t kFormatVersion = 5;           // PRAGMA user_version

/// SQLite allows 2000 columns in a table; a few are ours.
inline constexpr Eigen::Index kMostColumns = 1900;

struct Table {
  std::string name;
  std::string sql;
  int columns = 0;
  std::uint32_t since = 1;               // the first format that has it
  std::uint32_t until = kFormatVersion;  // the last one
};

/// The tables of all formats for a model of this shape, as docs/model_file.md describes them.
std::vector<Table> schema(Eigen::Index inputs, Eigen::Index outputs);
int columns_of_observation(Eigen::Index inputs, Eigen::Index outputs);

/// Creates those of the current format and marks the file as ours.
void create_schema(Database& database, Eigen::Index inputs, Eigen::Index outputs);

/// Deletes them, and all that they hold.
void drop_schema(Database& database);

/// Adds the tables that came after `format`, and deletes those that are no more.
void extend_schema(Database& database, Eigen::Index inputs, Eigen::Index outputs,
                   std::uint32_t format);

/// Throws FileError unless the file has exactly the tables of its format, for some number of inputs
/// and outputs; other tables beside them are allowed.
struct Shape {
  Eigen::Index inputs = 0;
  Eigen::Index outputs = 0;
};
Shape check_schema(const Database& database);

}  // namespace splitgp::store
