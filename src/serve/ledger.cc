#include "serve/ledger.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "store/checksum.h"

namespace splitgp::serve {
namespace {

using store::Checksum;
using store::TableWriter;

constexpr const char* kIdTable = R"(CREATE TABLE IF NOT EXISTS served_id (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  fingerprint INTEGER NOT NULL,
  sequence INTEGER,
  answer TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)";

constexpr const char* kWaitingTable = R"(CREATE TABLE IF NOT EXISTS waiting_row (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  inputs TEXT NOT NULL,
  time REAL,
  said TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT)";

// Numbers as text that gives back the same bits, for people and for other programs.
std::string to_text(const std::vector<double>& numbers) {
  std::string text = "[";
  char digits[32];
  for (const double number : numbers) {
    if (text.size() > 1) text += ',';
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
  return text + "]";
}

std::optional<std::vector<double>> from_text(std::string_view text) {
  std::vector<double> numbers;
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at < end) {
    double number = 0.0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (stop != end && *stop != ',')) return std::nullopt;
    numbers.push_back(number);
    at = stop + 1;
  }
  return numbers;
}

std::string_view column_text(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr
             ? std::string_view()
             : std::string_view(text,
                                static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
}

void bind_text(sqlite3_stmt* statement, int place, const std::string& text) {
  sqlite3_bind_text64(statement, place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void bind_count(sqlite3_stmt* statement, int place, std::uint64_t number) {
  sqlite3_bind_int64(statement, place, static_cast<std::int64_t>(number));
}

}  // namespace

Ledger::Statement Ledger::prepare(const char* sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database_.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                         nullptr) != SQLITE_OK) {
    database_.fail();
  }
  return Statement(statement);
}

void Ledger::run(const Statement& statement) {
  sqlite3_step(statement.get());
  if (sqlite3_reset(statement.get()) != SQLITE_OK) database_.fail();
}

bool Ledger::is_in(const store::Database& database) {
  store::TableReader rows(database, "sqlite_schema", "rowid");
  while (rows.next()) {
    rows.text();  // type
    if (rows.text() == "served_id") return true;
  }
  return false;
}

Ledger::Ledger(store::Database& database, LedgerLimits limits)
    : database_(database), limits_(limits) {
  store::Transaction transaction(database_);
  database_.execute(kIdTable);
  database_.execute(kWaitingTable);
  transaction.commit();
  find_id_ = prepare(
      "SELECT number, id, fingerprint, sequence, answer, checksum FROM served_id WHERE id = ?");
  find_waiting_ =
      prepare("SELECT number, id, inputs, time, said, checksum FROM waiting_row WHERE id = ?");
  erase_waiting_ = prepare("DELETE FROM waiting_row WHERE id = ?");
  drop_ids_ = prepare("DELETE FROM served_id WHERE number < ?");
  drop_waiting_ = prepare("DELETE FROM waiting_row WHERE number < ?");
  oldest_waiting_ =
      prepare("SELECT number, id FROM waiting_row WHERE number >= ? ORDER BY number LIMIT 1");
  id_writer_ = std::make_unique<TableWriter>(database_, "served_id", 6, TableWriter::Same::fails);
  waiting_writer_ =
      std::make_unique<TableWriter>(database_, "waiting_row", 6, TableWriter::Same::fails);
  const auto count = [this](const char* sql) {
    const Statement statement = prepare(sql);
    if (sqlite3_step(statement.get()) != SQLITE_ROW) database_.fail();
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement.get(), 0));
  };
  next_id_ = count("SELECT coalesce(max(number) + 1, 0) FROM served_id");
  n_ids_ = count("SELECT count(*) FROM served_id");
  next_waiting_ = count("SELECT coalesce(max(number) + 1, 0) FROM waiting_row");
  n_waiting_ = count("SELECT count(*) FROM waiting_row");
}

std::optional<KeptAnswer> Ledger::answer_to(const std::string& id) {
  if (const auto found = new_answers_.find(id); found != new_answers_.end()) {
    return found->second.kept;
  }
  sqlite3_stmt* const row = find_id_.get();
  bind_text(row, 1, id);
  std::optional<KeptAnswer> kept;
  const int code = sqlite3_step(row);
  bool sound = true;
  if (code == SQLITE_ROW) {
    kept.emplace();
    Checksum sum;
    sum.add(std::int64_t{sqlite3_column_int64(row, 0)});
    sum.add(column_text(row, 1));
    kept->fingerprint = static_cast<std::uint64_t>(sqlite3_column_int64(row, 2));
    sum.add(kept->fingerprint);
    if (sqlite3_column_type(row, 3) == SQLITE_NULL) {
      sum.add_null();
    } else {
      kept->sequence = static_cast<std::uint64_t>(sqlite3_column_int64(row, 3));
      sum.add(*kept->sequence);
    }
    kept->answer = column_text(row, 4);
    sum.add(kept->answer);
    sound = sum.value() == sqlite3_column_int64(row, 5);
  }
  if (sqlite3_reset(row) != SQLITE_OK) database_.fail();
  if (!sound) throw store::damaged(database_.path(), "a row of served_id has a wrong checksum");
  return kept;
}

std::optional<WaitingLabel> Ledger::waiting(const std::string& id) {
  if (const auto found = new_waiting_.find(id); found != new_waiting_.end()) {
    return found->second.row;
  }
  if (arrived_.contains(id)) return std::nullopt;
  sqlite3_stmt* const row = find_waiting_.get();
  bind_text(row, 1, id);
  std::optional<WaitingLabel> result;
  const int code = sqlite3_step(row);
  bool sound = true;
  if (code == SQLITE_ROW &&
      static_cast<std::uint64_t>(sqlite3_column_int64(row, 0)) >= drop_below_) {
    Checksum sum;
    sum.add(std::int64_t{sqlite3_column_int64(row, 0)});
    sum.add(column_text(row, 1));
    const std::string_view inputs = column_text(row, 2);
    sum.add(inputs);
    const double time = sqlite3_column_type(row, 3) == SQLITE_NULL
                            ? std::numeric_limits<double>::quiet_NaN()
                            : sqlite3_column_double(row, 3);
    sum.add(time);
    std::optional<std::vector<double>> numbers = from_text(inputs);
    std::optional<std::vector<double>> said = from_text(column_text(row, 4));
    sum.add(column_text(row, 4));
    sound = numbers && said && sum.value() == sqlite3_column_int64(row, 5);
    if (sound) result = WaitingLabel{std::move(*numbers), time, std::move(*said)};
  }
  if (sqlite3_reset(row) != SQLITE_OK) database_.fail();
  if (!sound) throw store::damaged(database_.path(), "a row of waiting_row has a wrong checksum");
  return result;
}

void Ledger::keep(const std::string& id, KeptAnswer answer) {
  if (limits_.ids == 0) return;
  if (new_answers_.emplace(id, NewAnswer{next_id_, std::move(answer)}).second) {
    ++next_id_;
    ++n_ids_;
  }
}

void Ledger::wait(const std::string& id, WaitingLabel row) {
  if (!new_waiting_.emplace(id, NewWaiting{next_waiting_, std::move(row)}).second) return;
  new_order_.emplace(next_waiting_, id);
  ++next_waiting_;
  ++n_waiting_;
  while (n_waiting_ > std::max<std::uint64_t>(limits_.waiting, 1)) drop_oldest();
}

// The oldest is in the table, unless more wait in one transaction than may wait at all.
void Ledger::drop_oldest() {
  sqlite3_stmt* const row = oldest_waiting_.get();
  bool dropped = false;
  while (!dropped && table_waits_) {
    bind_count(row, 1, drop_below_);
    const bool any = sqlite3_step(row) == SQLITE_ROW;
    const auto number = any ? static_cast<std::uint64_t>(sqlite3_column_int64(row, 0)) : 0;
    // One whose label came in this transaction no longer counts.
    const bool counts = any && !arrived_.contains(column_text(row, 1));
    if (sqlite3_reset(row) != SQLITE_OK) database_.fail();
    if (!any) {
      table_waits_ = false;
      break;
    }
    drop_below_ = number + 1;
    dropped = counts;
  }
  if (!dropped && !new_order_.empty()) {
    new_waiting_.erase(new_order_.begin()->second);
    new_order_.erase(new_order_.begin());
  }
  --n_waiting_;
  ++n_dropped_;
}

void Ledger::arrive(const std::string& id) {
  if (const auto found = new_waiting_.find(id); found != new_waiting_.end()) {
    new_order_.erase(found->second.number);
    new_waiting_.erase(found);
  } else {
    arrived_.emplace(id, true);
  }
  --n_waiting_;
}

void Ledger::forget(std::vector<std::uint64_t> sequences) {
  forgotten_.insert(forgotten_.end(), sequences.begin(), sequences.end());
  std::sort(forgotten_.begin(), forgotten_.end());
}

void Ledger::forget_before(std::uint64_t sequence) {
  forgotten_before_ = std::max(forgotten_before_, sequence);
}

bool Ledger::changed() const {
  return !new_answers_.empty() || !new_waiting_.empty() || !arrived_.empty() ||
         !forgotten_.empty() || forgotten_before_ > 0 || drop_below_ > 0;
}

void Ledger::write() {
  for (const auto& [id, one] : new_answers_) {
    id_writer_->add(one.number).add(id).add(one.kept.fingerprint).add(one.kept.sequence);
    id_writer_->add(one.kept.answer).write();
  }
  if (next_id_ > limits_.ids && !new_answers_.empty()) {
    bind_count(drop_ids_.get(), 1, next_id_ - limits_.ids);
    run(drop_ids_);
  }
  for (const auto& [id, unused] : arrived_) {
    bind_text(erase_waiting_.get(), 1, id);
    run(erase_waiting_);
  }
  if (drop_below_ > 0) {
    bind_count(drop_waiting_.get(), 1, drop_below_);
    run(drop_waiting_);
  }
  for (const auto& [id, one] : new_waiting_) {
    const std::string inputs = to_text(one.row.inputs);
    const std::string said = to_text(one.row.said);
    waiting_writer_->add(one.number).add(id).add(inputs).add(one.row.time).add(said).write();
  }
  if (forgotten_.empty() && forgotten_before_ == 0) return;
  // One look at the whole table: forgetting is rare.
  std::vector<std::pair<std::uint64_t, std::string>> emptied;
  std::vector<std::uint64_t> sequences;
  const Statement all = prepare("SELECT number, id, sequence FROM served_id WHERE sequence >= 0");
  while (sqlite3_step(all.get()) == SQLITE_ROW) {
    const auto sequence = static_cast<std::uint64_t>(sqlite3_column_int64(all.get(), 2));
    if (sequence >= forgotten_before_ &&
        !std::binary_search(forgotten_.begin(), forgotten_.end(), sequence)) {
      continue;
    }
    emptied.emplace_back(static_cast<std::uint64_t>(sqlite3_column_int64(all.get(), 0)),
                         column_text(all.get(), 1));
    sequences.push_back(sequence);
  }
  TableWriter replace(database_, "served_id", 6, TableWriter::Same::replaces);
  for (std::size_t i = 0; i < emptied.size(); ++i) {
    const std::string answer =
        "{\"sequence\":" + std::to_string(sequences[i]) + ",\"forgotten\":true}";
    replace.add(emptied[i].first).add(emptied[i].second).add(std::uint64_t{0});
    replace.add(sequences[i]).add(answer).write();
  }
}

void Ledger::written() {
  n_ids_ = std::min(n_ids_, limits_.ids);
  new_answers_.clear();
  new_waiting_.clear();
  new_order_.clear();
  table_waits_ = true;
  arrived_.clear();
  forgotten_.clear();
  forgotten_before_ = 0;
  drop_below_ = 0;
}

}  // namespace splitgp::serve
