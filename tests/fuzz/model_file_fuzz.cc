// Opens a model file that anyone may have written. The contract: FileError or a usable model.
//
// The first byte of the input says what the rest is:
//   0: a file
//   1: a file whose checksums are fixed first, so that what lies behind them is reached
//   2: edits, cell by cell, of the golden file; its checksums are fixed, too
//   5: the same of the file of a model that forgets
//
// For libFuzzer: clang++ -fsanitize=fuzzer,address,undefined … tests/fuzz/model_file_fuzz.cc.
// tests/model_file_fuzz_test.cc runs it on mutations of its own, with any compiler.

#include <sqlite3.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_state.h"
#include "splitgp/error.h"
#include "splitgp/model_file.h"
#include "store/checksum.h"
#include "store/schema.h"
#include "support/forgetful_file.h"
#include "support/golden.h"
#include "support/invariants.h"
#include "support/temporary_directory.h"

namespace {

using splitgp::testing::TemporaryDirectory;

struct Connection {
  explicit Connection(const std::filesystem::path& path) { sqlite3_open(path.c_str(), &handle); }
  ~Connection() { sqlite3_close(handle); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  // Whether SQLite accepts it depends on the damage.
  void try_to(const std::string& sql) const {
    sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3* handle = nullptr;
};

std::int64_t checksum_of(sqlite3_stmt* row, int columns) {
  splitgp::store::Checksum sum;
  for (int i = 0; i < columns; ++i) {
    switch (sqlite3_column_type(row, i)) {
      case SQLITE_INTEGER:
        sum.add(std::int64_t{sqlite3_column_int64(row, i)});
        break;
      case SQLITE_FLOAT:
        sum.add(sqlite3_column_double(row, i));
        break;
      case SQLITE_NULL:
        sum.add_null();
        break;
      default: {  // text or bytes
        const auto* text = static_cast<const char*>(sqlite3_column_blob(row, i));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, i));
        sum.add(text == nullptr ? std::string_view() : std::string_view(text, size));
      }
    }
  }
  return sum.value();
}

void put_checksums_right(const Connection& connection, const std::string& table) {
  sqlite3_stmt* select = nullptr;
  sqlite3_stmt* update = nullptr;
  sqlite3_prepare_v2(connection.handle, ("SELECT * FROM " + table).c_str(), -1, &select, nullptr);
  const int columns = sqlite3_column_count(select) - 1;
  if (columns > 0) {
    const std::string key = sqlite3_column_name(select, 0);
    sqlite3_prepare_v2(connection.handle,
                       ("UPDATE " + table + " SET checksum = ? WHERE " + key + " = ?").c_str(), -1,
                       &update, nullptr);
  }
  // A damaged table may lead in circles.
  for (int i = 0; i < 1000 && update != nullptr && sqlite3_step(select) == SQLITE_ROW; ++i) {
    sqlite3_bind_int64(update, 1, checksum_of(select, columns));
    sqlite3_bind_value(update, 2, sqlite3_column_value(select, 0));
    sqlite3_step(update);
    sqlite3_reset(update);
  }
  sqlite3_finalize(select);
  sqlite3_finalize(update);
}

void put_checksums_right(const std::filesystem::path& path) {
  const Connection connection(path);
  connection.try_to("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN");
  for (const splitgp::store::Table& table : splitgp::store::schema(2, 2)) {
    put_checksums_right(connection, table.name);
  }
  connection.try_to("COMMIT; PRAGMA journal_mode = WAL");
}

// Three bytes per edit: which table, which column and row, what to put there.
void edit(const std::filesystem::path& path, std::basic_string_view<std::uint8_t> bytes) {
  const Connection connection(path);
  connection.try_to("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN");
  const std::vector<splitgp::store::Table> tables = splitgp::store::schema(2, 2);
  for (; bytes.size() >= 3; bytes.remove_prefix(3)) {
    const splitgp::store::Table& table = tables[bytes[0] % tables.size()];
    sqlite3_stmt* select = nullptr;
    sqlite3_prepare_v2(connection.handle, ("SELECT * FROM " + table.name).c_str(), -1, &select,
                       nullptr);
    if (select == nullptr) continue;
    const std::string key = sqlite3_column_name(select, 0);
    const std::string column = sqlite3_column_name(select, bytes[1] % (table.columns - 1));
    sqlite3_finalize(select);
    const std::string where = " WHERE " + key + " = (SELECT " + key + " FROM " + table.name +
                              " LIMIT 1 OFFSET " + std::to_string(bytes[1] * 7 % 101) + ")";
    const std::string values[] = {column + " + 1",
                                  column + " - 1",
                                  "0",
                                  "-1",
                                  "9223372036854775807",
                                  "-9223372036854775807 - 1",
                                  "1e308",
                                  "-1e-300",
                                  "9e999",
                                  "'[]'",
                                  "x''",
                                  "substr(" + column + ", 2)",
                                  "zeroblob(1000)",
                                  "'[0,1,2]'",
                                  "'[18446744073709551615]'",
                                  "'[1,1e400]'",
                                  "'rational_quadratic'",
                                  "'true'",
                                  "'2147483647'",
                                  "'1'",
                                  "NULL",
                                  "replace(" + column + ", '1', '2')",
                                  "substr(" + column + ", 1, length(" + column + ") - 1)"};
    if (bytes[2] >= 250) {
      connection.try_to("DELETE FROM " + table.name + where);
    } else {
      connection.try_to("UPDATE " + table.name + " SET " + column + " = " +
                        values[bytes[2] % std::size(values)] + where);
    }
  }
  connection.try_to("COMMIT; PRAGMA journal_mode = WAL");
}

void open_and_use(const std::filesystem::path& path) {
  splitgp::LoadedModel loaded = splitgp::load(path);
  splitgp::SplittingGp& model = loaded.model;
  if (!splitgp::testing::Invariants::violated(model).empty()) std::abort();
  const Eigen::MatrixXd queries = Eigen::MatrixXd::Constant(model.n_inputs(), 1, 0.3);
  try {
    if (model.predict(queries).mean.rows() != model.n_outputs()) std::abort();
    model.update(queries.col(0), Eigen::VectorXd::Zero(model.n_outputs()), 0.0, 1e150);
    model.forget_before(model.n_seen() - model.n_seen() / 2);
    if (!splitgp::testing::Invariants::violated(model).empty()) std::abort();
  } catch (const splitgp::NumericalError&) {
  }
}

}  // namespace

/// For our own driver: inputs that were accepted as a model.
int model_files_opened = 0;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "model.splitgp";
  const std::basic_string_view<std::uint8_t> rest(data + 1, size - 1);
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::filesystem::remove(path.string() + suffix);
  }
  if (data[0] % 3 == 2) {
    static const std::filesystem::path forgetful = [] {
      const std::filesystem::path made = directory / "forgetful.splitgp";
      splitgp::testing::make_forgetful_file(made);
      return made;
    }();
    const std::filesystem::path golden = splitgp::testing::golden::directory() / "model_v1.splitgp";
    std::filesystem::copy_file(data[0] % 6 == 5 ? forgetful : golden, path);
    edit(path, rest);
  } else {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(rest.data()), std::ssize(rest));
  }
  if (data[0] % 3 != 0) put_checksums_right(path);
  try {
    open_and_use(path);
    ++model_files_opened;
  } catch (const splitgp::FileError&) {
  }
  return 0;
}
