#include "store/table_rows.h"

#include <cmath>
#include <limits>
#include <utility>

namespace splitgp::store {
namespace {

StatementPointer prepare(const Database& database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database.handle(), sql.c_str(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) database.fail();
  return StatementPointer(statement);
}

std::string insert_into(const std::string& table, int columns, TableWriter::Same same) {
  std::string sql = same == TableWriter::Same::replaces ? "REPLACE INTO " : "INSERT INTO ";
  sql += table + " VALUES (?";
  for (int i = 1; i < columns; ++i) sql += ",?";
  return sql + ")";
}

}  // namespace

RowEraser::RowEraser(Database& database, const std::string& table, const std::string& condition)
    : database_(database),
      statement_(prepare(database, "DELETE FROM " + table + " WHERE " + condition)) {}

void RowEraser::erase(std::uint64_t number) {
  if (sqlite3_bind_int64(statement_.get(), 1, static_cast<std::int64_t>(number)) != SQLITE_OK)
    database_.fail();
  sqlite3_step(statement_.get());
  if (sqlite3_reset(statement_.get()) != SQLITE_OK) database_.fail();
}

TableWriter::TableWriter(Database& database, const std::string& table, int columns, Same same)
    : database_(database), statement_(prepare(database, insert_into(table, columns, same))) {}

void TableWriter::check(int code) {
  if (code == SQLITE_OK) return;
  checksum_ = Checksum();  // the next row starts over
  column_ = 0;
  database_.fail();
}

TableWriter& TableWriter::add(std::int64_t value) {
  checksum_.add(value);
  check(sqlite3_bind_int64(statement_.get(), ++column_, value));
  return *this;
}

TableWriter& TableWriter::add(double value) {
  checksum_.add(value);
  check(sqlite3_bind_double(statement_.get(), ++column_, value));  // NaN becomes NULL
  return *this;
}

TableWriter& TableWriter::add(std::string_view text) {
  checksum_.add(text);
  // An empty view may hold a null pointer, which SQLite would take for NULL.
  check(sqlite3_bind_text64(statement_.get(), ++column_, text.empty() ? "" : text.data(),
                            text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

TableWriter& TableWriter::add_bytes(std::string_view bytes) {
  checksum_.add(bytes);
  check(sqlite3_bind_blob64(statement_.get(), ++column_, bytes.empty() ? "" : bytes.data(),
                            bytes.size(), SQLITE_STATIC));
  return *this;
}

TableWriter& TableWriter::add_null() {
  checksum_.add_null();
  check(sqlite3_bind_null(statement_.get(), ++column_));
  return *this;
}

void TableWriter::write() {
  check(sqlite3_bind_int64(statement_.get(), ++column_, checksum_.value()));
  checksum_ = Checksum();
  column_ = 0;
  sqlite3_step(statement_.get());
  check(sqlite3_reset(statement_.get()));  // repeats what the step returned
}

TableReader::TableReader(const Database& database, std::string table, std::string_view order_by)
    : database_(database),
      table_(std::move(table)),
      statement_(
          prepare(database, "SELECT * FROM " + table_ + " ORDER BY " + std::string(order_by))),
      columns_(sqlite3_column_count(statement_.get())) {}

bool TableReader::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_DONE) return false;
  if (code != SQLITE_ROW) database_.fail();
  checksum_ = Checksum();
  column_ = 0;
  ++row_;
  return true;
}

bool TableReader::null() const {
  return sqlite3_column_type(statement_.get(), column_) == SQLITE_NULL;
}

std::int64_t TableReader::integer() {
  const std::int64_t value = sqlite3_column_int64(statement_.get(), column_++);
  checksum_.add(value);
  return value;
}

std::int64_t TableReader::integer(std::string_view column, std::int64_t low, std::int64_t high) {
  const std::int64_t value = integer();
  if (value < low || value > high) {
    fail(std::string(column) + " is " + std::to_string(value) + ", not between " +
         std::to_string(low) + " and " + std::to_string(high));
  }
  return value;
}

double TableReader::real() {
  double value = sqlite3_column_double(statement_.get(), column_);
  if (value == 0.0 && null()) value = std::numeric_limits<double>::quiet_NaN();
  ++column_;
  checksum_.add(value);
  return value;
}

std::string_view TableReader::text() {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column_);
  const int size = sqlite3_column_bytes(statement_.get(), column_++);
  const std::string_view value =
      text == nullptr
          ? std::string_view()
          : std::string_view(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  checksum_.add(value);
  return value;
}

std::string_view TableReader::bytes() {
  const void* bytes = sqlite3_column_blob(statement_.get(), column_);
  const int size = sqlite3_column_bytes(statement_.get(), column_++);
  const std::string_view value =
      bytes == nullptr
          ? std::string_view()
          : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  checksum_.add(value);
  return value;
}

std::optional<std::int64_t> TableReader::optional_integer() {
  if (!null()) return integer();
  ++column_;
  checksum_.add_null();
  return std::nullopt;
}

std::optional<std::string_view> TableReader::optional_text() {
  if (!null()) return text();
  ++column_;
  checksum_.add_null();
  return std::nullopt;
}

void TableReader::end_row() {
  if (column_ + 1 != columns_) fail("it has " + std::to_string(columns_) + " columns");
  const std::int64_t sum = checksum_.value();
  if (sqlite3_column_int64(statement_.get(), column_) != sum) fail("its checksum does not match");
}

void TableReader::fail(const std::string& what) const {
  throw damaged(database_.path(), "row " + std::to_string(row_) + " of " + table_ + ": " + what);
}

}  // namespace splitgp::store
