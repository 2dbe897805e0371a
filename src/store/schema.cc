#include "store/schema.h"

#include <map>
#include <string_view>

#include "store/file_kind.h"
#include "store/table_rows.h"

namespace splitgp::store {
namespace {

// x0 REAL NOT NULL, x1 REAL NOT NULL, ...
std::string real_columns(char letter, Eigen::Index count) {
  std::string sql;
  for (Eigen::Index i = 0; i < count; ++i) {
    sql += "\n  " + std::string(1, letter) + std::to_string(i) + " REAL NOT NULL,";
  }
  return sql;
}

std::string stream_columns(const std::string& name) {
  return "CREATE TABLE " + name + " (\n" + R"(  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  mean REAL NOT NULL,
  squared_deviations REAL NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)";
}

Eigen::Index count(std::string_view text, std::string_view part) {
  Eigen::Index times = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++times;
  }
  return times;
}

// For people: which local GP owns each observation now. If there are lists, they say so; otherwise
// it is where the last split took it or, if there was none, where it was routed.
void create_owner_view(Database& database) {
  database.execute(R"(CREATE VIEW owner AS
WITH moved AS (
  SELECT leaving.value AS sequence, max(split.number), split.child AS local_gp
  FROM split, json_each(split.leaving) AS leaving GROUP BY leaving.value)
SELECT observation.sequence, coalesce(moved.local_gp, observation.local_gp) AS local_gp
FROM observation LEFT JOIN moved ON moved.sequence = observation.sequence
WHERE NOT EXISTS (SELECT 1 FROM local_gp_points)
UNION ALL
SELECT point.value, local_gp_points.number
FROM local_gp_points, json_each(local_gp_points.points) AS point
WHERE substr(local_gp_points.owned, point.key + 1, 1) = '1')");
}

}  // namespace

int columns_of_observation(Eigen::Index inputs, Eigen::Index outputs) {
  return static_cast<int>(inputs + outputs) + 5;
}

std::vector<Table> schema(Eigen::Index inputs, Eigen::Index outputs) {
  return {
      {"option", R"(CREATE TABLE option (
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID)",
       3},
      {"model", R"(CREATE TABLE model (
  name TEXT PRIMARY KEY NOT NULL,
  value INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID)",
       3},
      {"input", stream_columns("input"), 5},
      {"output", stream_columns("output"), 5},
      {"theta", R"(CREATE TABLE theta (
  version INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  length_scale TEXT NOT NULL,
  signal_variance REAL NOT NULL,
  noise_variance REAL NOT NULL,
  shape REAL NOT NULL,
  mean TEXT NOT NULL,
  output_scale TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       9},
      {"training", R"(CREATE TABLE training (
  number INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL,
  adopted INTEGER NOT NULL,
  theta_version INTEGER NOT NULL,
  objective_before REAL,
  objective_after REAL,
  searched INTEGER NOT NULL,
  kernel_margin REAL,
  bounds_reached TEXT NOT NULL,
  observations INTEGER NOT NULL,
  local_gps INTEGER NOT NULL,
  starts INTEGER NOT NULL,
  evaluations INTEGER NOT NULL,
  seconds REAL,
  checksum INTEGER NOT NULL
) STRICT)",
       15},
      {"observation",
       "CREATE TABLE observation (\n  sequence INTEGER PRIMARY KEY," + real_columns('x', inputs) +
           real_columns('y', outputs) + R"(
  noise_variance REAL NOT NULL,
  local_gp INTEGER NOT NULL,
  displaced INTEGER,
  checksum INTEGER NOT NULL
) STRICT)",
       columns_of_observation(inputs, outputs)},
      {"borrowing", R"(CREATE TABLE borrowing (
  sequence INTEGER NOT NULL,
  local_gp INTEGER NOT NULL,
  displaced INTEGER,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (sequence, local_gp)
) STRICT, WITHOUT ROWID)",
       4, 2},
      {"split", R"(CREATE TABLE split (
  number INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  child INTEGER NOT NULL,
  parent_owned INTEGER NOT NULL,
  child_owned INTEGER NOT NULL,
  leaving TEXT,
  checksum INTEGER NOT NULL
) STRICT)",
       8},
      {"local_gp", R"(CREATE TABLE local_gp (
  number INTEGER PRIMARY KEY,
  theta_version INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       3},
      {"local_gp_at_start", R"(CREATE TABLE local_gp_at_start (
  number INTEGER PRIMARY KEY,
  points TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       3},
      {"local_gp_points", R"(CREATE TABLE local_gp_points (
  number INTEGER PRIMARY KEY,
  points TEXT NOT NULL,
  owned TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       4, 3},
      {"observation_time", R"(CREATE TABLE observation_time (
  sequence INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       3, 3},
      {"theta_trend", R"(CREATE TABLE theta_trend (
  version INTEGER PRIMARY KEY,
  trend_slope TEXT NOT NULL,
  trend_origin TEXT NOT NULL,
  trend_reach REAL NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       5, 2},
      {"theta_trend_range", R"(CREATE TABLE theta_trend_range (
  version INTEGER PRIMARY KEY,
  trend_range TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       3, 5},
      {"training_more", R"(CREATE TABLE training_more (
  number INTEGER PRIMARY KEY,
  surprised INTEGER NOT NULL,
  regime INTEGER NOT NULL,
  returned INTEGER NOT NULL,
  forward_without_trend REAL,
  forward_with_trend REAL,
  trend_won INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       8, 2},
      {"running", R"(CREATE TABLE running (
  name TEXT PRIMARY KEY NOT NULL,
  numbers TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID)",
       3, 2},
      {"drift_group", R"(CREATE TABLE drift_group (
  number INTEGER PRIMARY KEY,
  used INTEGER NOT NULL,
  parent INTEGER,
  local_gp INTEGER,
  last INTEGER NOT NULL,
  alarmed INTEGER,
  numbers TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       8, 3, 3},
      {"drift_part", R"(CREATE TABLE drift_part (
  number INTEGER PRIMARY KEY,
  needed INTEGER NOT NULL,
  round INTEGER NOT NULL,
  cursor INTEGER NOT NULL,
  groups BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       6, 4},
      {"alarm", R"(CREATE TABLE alarm (
  place INTEGER PRIMARY KEY,
  number INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  change_point INTEGER NOT NULL,
  output INTEGER NOT NULL,
  kind TEXT NOT NULL,
  whole_stream INTEGER NOT NULL,
  local_gp INTEGER NOT NULL,
  local_gps INTEGER NOT NULL,
  lower TEXT NOT NULL,
  upper TEXT NOT NULL,
  rows INTEGER NOT NULL,
  size REAL NOT NULL,
  size_in_noise REAL NOT NULL,
  forgotten INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)",
       16, 3},
      {"source", R"(CREATE TABLE source (
  name TEXT PRIMARY KEY NOT NULL,
  rows INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID)",
       3},
      {"note", R"(CREATE TABLE note (
  key TEXT PRIMARY KEY NOT NULL,
  text TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID)",
       3},
  };
}

void create_schema(Database& database, Eigen::Index inputs, Eigen::Index outputs) {
  database.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  database.execute("PRAGMA user_version = " + std::to_string(kFormatVersion));
  for (const Table& table : schema(inputs, outputs)) {
    if (table.until == kFormatVersion) database.execute(table.sql);
  }
  create_owner_view(database);
}

void drop_schema(Database& database) {
  database.execute("DROP VIEW owner");
  for (const Table& table : schema(1, 1)) {  // whatever their shape
    database.execute("DROP TABLE IF EXISTS " + table.name);
  }
}

void extend_schema(Database& database, Eigen::Index inputs, Eigen::Index outputs,
                   std::uint32_t format) {
  for (const Table& table : schema(inputs, outputs)) {
    const bool has = table.since <= format && format <= table.until;
    const bool shall_have = table.until == kFormatVersion;
    if (shall_have && !has) database.execute(table.sql);
    if (has && !shall_have) database.execute("DROP TABLE " + table.name);
  }
  database.execute("DROP VIEW IF EXISTS owner");
  create_owner_view(database);
  database.execute("PRAGMA user_version = " + std::to_string(kFormatVersion));
}

Shape check_schema(const Database& database) {
  const std::uint32_t format = format_version(database);
  std::map<std::string, std::string, std::less<>> found;
  TableReader rows(database, "sqlite_schema", "rowid");
  while (rows.next()) {
    rows.text();  // type
    std::string name(rows.text());
    rows.text();     // the table's name
    rows.integer();  // its first page
    found.emplace(std::move(name), rows.text());
  }
  const Shape shape{count(found["observation"], "\n  x"), count(found["observation"], "\n  y")};
  for (const Table& table : schema(shape.inputs, shape.outputs)) {
    if (table.since > format || table.until < format) continue;
    const auto at = found.find(table.name);
    if (at == found.end()) throw damaged(database.path(), "it has no table " + table.name);
    if (at->second != table.sql || shape.inputs < 1 || shape.outputs < 1) {
      throw damaged(database.path(), "its table " + table.name + " has an unexpected definition");
    }
  }
  return shape;
}

}  // namespace splitgp::store
