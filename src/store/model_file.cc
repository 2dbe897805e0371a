#include "splitgp/model_file.h"

#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "core/api/internals.h"
#include "core/base/columns.h"
#include "splitgp/error.h"
#include "store/file_internals.h"
#include "store/file_kind.h"
#include "store/model_reader.h"
#include "store/model_writer.h"
#include "store/new_file.h"
#include "store/schema.h"
#include "store/scrub.h"
#include "store/upgrade.h"
#include "store/writer_lock.h"

namespace splitgp {

using Eigen::Index;
using store::Database;

namespace {

// One path for every name of the same file, so that all writers use the same lock.
std::filesystem::path resolved(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path whole =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  if (error || whole.filename().empty())
    throw store::cannot("open", path, "it does not name a file");
  return whole;
}

// Changes whenever a writer has been there.
struct Stamp {
  std::filesystem::file_time_type written;
  std::uintmax_t log_size = 0;
  bool operator==(const Stamp&) const = default;
};

Stamp stamp(const std::filesystem::path& path) {
  std::error_code error;
  Stamp result;
  result.written = std::filesystem::last_write_time(path, error);
  result.log_size = std::filesystem::file_size(path.string() + "-wal", error);
  if (error) result.log_size = 0;
  return result;
}

// Reads without leaving a trace. Without a log the file is complete as it stands and needs no
// other; the stamp shows whether a writer came along meanwhile.
store::StoredModel read_quietly(const std::filesystem::path& path) {
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    const Stamp before = stamp(path);
    if (before.log_size > 0) break;
    try {
      Database database(path, Database::Mode::immutable);
      store::check_length(database);
      store::StoredModel model = store::read_model(database);
      if (stamp(path) == before) return model;
    } catch (const FileError&) {
      if (stamp(path) == before) throw;
    }
  }
  Database database(path, Database::Mode::read_only);
  return store::read_model(database);
}

void check_names(const char* field, const std::vector<std::string>& names, Index columns) {
  if (!names.empty() && std::ssize(names) != columns) {
    throw InvalidArgument(std::string(field) + " has " + std::to_string(names.size()) +
                          " names; the model needs " + std::to_string(columns));
  }
}

void check_names(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                 const SplittingGp& model) {
  check_names("input_names", inputs, model.n_inputs());
  check_names("output_names", outputs, model.n_outputs());
}

void check_width(const SplittingGp& model) {
  const Index columns = model.n_inputs() + model.n_outputs();
  if (columns <= store::kMostColumns) return;
  throw InvalidArgument("the model has " + std::to_string(columns) +
                        " inputs and outputs; a file holds at most " +
                        std::to_string(store::kMostColumns));
}

}  // namespace

struct ModelFile::State {
  State(std::filesystem::path whole_path, std::vector<std::string> names_of_inputs,
        std::vector<std::string> names_of_outputs, SplittingGp held)
      : path(std::move(whole_path)),
        input_names(std::move(names_of_inputs)),
        output_names(std::move(names_of_outputs)),
        model(std::move(held)) {}

  std::filesystem::path path;
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  SplittingGp model;
  std::map<std::string, std::uint64_t> positions;  // as of the last checkpoint
  std::map<std::string, std::string> notes;

  std::set<std::string> new_notes;  // since the last checkpoint

  // None of these without a file. In this order: the lock outlives the connection, and that its
  // statements.
  std::unique_ptr<store::WriterLock> lock;
  std::unique_ptr<Database> database;
  struct Writers {
    Writers(Database& database, const State& state)
        : model(database, state.model.n_inputs(), state.model.n_outputs(), state.input_names,
                state.output_names),
          source(database, "source", 3, store::TableWriter::Same::replaces),
          note(database, "note", 3, store::TableWriter::Same::replaces) {}
    store::ModelWriter model;
    store::TableWriter source;
    store::TableWriter note;
  };
  std::unique_ptr<Writers> writers;

  static std::unique_ptr<State> read(const std::filesystem::path& path);
  void write_to(Durability durability);
  void write(const std::vector<SourcePosition>& read, const Call& also,
             const std::function<void(const Call&)>& exclusively);
  // Whether the file has this model as of the last checkpoint. Otherwise it has another one, in
  // whose place this one was put.
  bool has_model() { return Internals::journal(model).kept; }
  void follow_changes();
  void check_in_place();
  void look_after_bytes();
  void write_anew();
  void drop_texts();
  bool all_bytes = true;  // they may hold what was forgotten, not only those of the last checkpoint
};

std::unique_ptr<ModelFile::State> ModelFile::State::read(const std::filesystem::path& path) {
  store::StoredModel stored = read_quietly(path);
  auto state =
      std::make_unique<State>(path, std::move(stored.input_names), std::move(stored.output_names),
                              Internals::model(std::move(*stored.state)));
  state->positions = std::move(stored.positions);
  state->notes = std::move(stored.notes);
  return state;
}

void ModelFile::State::write_to(Durability durability) {
  database = std::make_unique<Database>(path, Database::Mode::read_write);
  // With a write-ahead log, https://www.sqlite.org/pragma.html#pragma_synchronous: FULL waits for
  // the disk after every commit, NORMAL only when the log is moved into the file. Either way a
  // killed process loses nothing that was committed.
  database->execute(durability == Durability::full ? "PRAGMA synchronous = FULL"
                                                   : "PRAGMA synchronous = NORMAL");
  database->execute("PRAGMA secure_delete = ON");
  // It already is, unless someone has changed it.
  database->execute("PRAGMA journal_mode = WAL");
  store::upgrade(*database, Internals::of(model), input_names, output_names);
  writers = std::make_unique<Writers>(*database, *this);
  writers->model.resume(Internals::of(model));
  check_in_place();
  follow_changes();
  // A killed writer may have left numbers behind.
  if (writers->model.listed()) look_after_bytes();
}

// Of a file whose model forgets. SQLite must not move pages into it by itself then, because nobody
// would clear them.
void ModelFile::State::look_after_bytes() {
  if (all_bytes) database->execute("PRAGMA wal_autocheckpoint = 0");
  all_bytes = !(all_bytes ? store::scrub(*database) : store::scrub_log(*database));
}

ModelFile::ModelFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModelFile::ModelFile(ModelFile&&) noexcept = default;
ModelFile& ModelFile::operator=(ModelFile&&) noexcept = default;
ModelFile::~ModelFile() = default;

ModelFile ModelFile::create(const std::filesystem::path& path, SplittingGp model,
                            ModelFileOptions options) {
  check_names(options.input_names, options.output_names, model);
  check_width(model);
  const std::filesystem::path whole = resolved(path);
  auto lock = std::make_unique<store::WriterLock>(whole);
  store::make_model_file(whole, Internals::of(model), options);
  lock->hold_file();
  auto state = std::make_unique<State>(whole, std::move(options.input_names),
                                       std::move(options.output_names), std::move(model));
  state->notes = std::move(options.notes);
  state->lock = std::move(lock);
  state->write_to(options.durability);
  return ModelFile(std::move(state));
}

ModelFile ModelFile::in_memory(SplittingGp model, ModelFileOptions options) {
  check_names(options.input_names, options.output_names, model);
  auto state = std::make_unique<State>(std::filesystem::path(), std::move(options.input_names),
                                       std::move(options.output_names), std::move(model));
  state->notes = std::move(options.notes);
  return ModelFile(std::move(state));
}

ModelFile ModelFile::open(const std::filesystem::path& path, ModelFileOptions options) {
  const std::filesystem::path whole = resolved(path);
  store::check_kind(whole);
  auto lock = std::make_unique<store::WriterLock>(whole);
  lock->hold_file();
  std::unique_ptr<State> state = State::read(whole);
  state->lock = std::move(lock);
  state->write_to(options.durability);
  return ModelFile(std::move(state));
}

LoadedModel load(const std::filesystem::path& path) {
  const std::filesystem::path whole = resolved(path);
  store::check_kind(whole);
  store::StoredModel stored = read_quietly(whole);
  return {Internals::model(std::move(*stored.state)), std::move(stored.input_names),
          std::move(stored.output_names), std::move(stored.positions), std::move(stored.notes)};
}

SplittingGp& ModelFile::model() { return state_->model; }
const SplittingGp& ModelFile::model() const { return state_->model; }
const std::vector<std::string>& ModelFile::input_names() const { return state_->input_names; }
const std::vector<std::string>& ModelFile::output_names() const { return state_->output_names; }

// What is written to a file that nobody finds any more is lost, so it must not be acknowledged.
void ModelFile::State::check_in_place() {
  if (!database->has_moved()) return;
  Internals::give_up(model, "its file was deleted, moved or replaced while it was open");
  database->remove_log_of_moved();
  throw UnusableModel("cannot write " + path.string() +
                      ": it was deleted, moved or replaced while it was open; what was learned "
                      "since the last checkpoint is lost");
}

void ModelFile::State::write(const std::vector<SourcePosition>& read, const Call& also,
                             const std::function<void(const Call&)>& exclusively) {
  check_in_place();
  check_names(input_names, output_names, model);  // it may be another one than before
  check_width(model);
  if (model.n_seen() != model.n_observations()) drop_texts();
  store::Transaction transaction(*database);
  if (has_model()) {
    writers->model.write_changes(Internals::of(model), Internals::journal(model));
  } else {
    write_anew();
  }
  for (const SourcePosition& position : read) {
    writers->source.add(position.source).add(position.rows).write();
  }
  for (const std::string& key : new_notes) writers->note.add(key).add(notes.at(key)).write();
  if (also) also();
  transaction.commit();
  check_in_place();
  // Up to here the model was only read. If this fails, nobody knows any more what has been written.
  Internals::change(model, [&] {
    exclusively([this] {
      writers->model.committed();
      Internals::of(model).monitor.drift.written();
      follow_changes();
    });
  });
}

// From now on the model records what the next checkpoint has to write.
void ModelFile::State::follow_changes() {
  Partition& partition = Internals::of(model).partition;
  if (has_model()) {
    partition.clear_changes();
  } else {
    partition.record_changes();
  }
  Internals::journal(model).begin();
}

// The texts of the first rows (docs/model_file.md) must not outlive what was learned of them.
void ModelFile::State::drop_texts() {
  constexpr std::string_view kFirstRows = "table_first";
  for (auto note = notes.lower_bound(std::string(kFirstRows));
       note != notes.end() && note->first.starts_with(kFirstRows); ++note) {
    if (!std::exchange(note->second, "").empty()) new_notes.insert(note->first);
  }
}

// Statements that were prepared for the tables of the model before are of no use, nor are those of
// an attempt that failed.
void ModelFile::State::write_anew() {
  writers.reset();
  store::drop_schema(*database);
  store::create_schema(*database, model.n_inputs(), model.n_outputs());
  writers = std::make_unique<Writers>(*database, *this);
  writers->model.write_all(Internals::of(model));
  for (const auto& [source, rows] : positions) writers->source.add(source).add(rows).write();
  for (const auto& [key, text] : notes) writers->note.add(key).add(text).write();
}

void ModelFile::checkpoint(const std::vector<SourcePosition>& positions) {
  checkpoint(positions, nullptr, [](const Call& settle) { settle(); });
}

void ModelFile::checkpoint(const std::vector<SourcePosition>& positions, const Call& in_transaction,
                           const std::function<void(const Call&)>& exclusively) {
  Internals::check_usable(state_->model);
  if (state_->database) state_->write(positions, in_transaction, exclusively);
  state_->new_notes.clear();
  Internals::change(state_->model, [&] {
    for (const SourcePosition& position : positions)
      state_->positions[position.source] = position.rows;
  });
  // After all else: if this fails, what was committed is not to be written again.
  if (state_->writers && state_->writers->model.listed()) state_->look_after_bytes();
}

ModelState& FileInternals::model(ModelFile& file) { return Internals::of(file.state_->model); }

void FileInternals::give_up(ModelFile& file) noexcept {
  Internals::give_up(file.state_->model, kHalfChanged);
}

const std::filesystem::path& FileInternals::path(const ModelFile& file) {
  return file.state_->path;
}

void FileInternals::replace(ModelFile& file, SplittingGp model,
                            std::vector<std::string> input_names) {
  ModelFile::State& state = *file.state_;
  Internals::check_usable(state.model);
  state.model = std::move(model);
  state.input_names = std::move(input_names);
}

void FileInternals::copy(ModelFile& file, const std::filesystem::path& to) {
  store::copy_model_file(*file.state_->database, resolved(to));
}

store::Database* FileInternals::database(ModelFile& file) { return file.state_->database.get(); }

void FileInternals::checkpoint(ModelFile& file, const Call& in_transaction,
                               const std::function<void(const Call&)>& exclusively) {
  file.checkpoint({}, in_transaction, exclusively);
}

SourcePosition ModelFile::position(const std::string& source) const {
  const auto found = state_->positions.find(source);
  return {source, found == state_->positions.end() ? 0 : found->second};
}

void ModelFile::set_note(const std::string& key, std::string text) {
  state_->new_notes.insert(key);
  state_->notes[key] = std::move(text);
}

std::optional<std::string> ModelFile::note(const std::string& key) const {
  const auto found = state_->notes.find(key);
  if (found == state_->notes.end()) return std::nullopt;
  return found->second;
}

}  // namespace splitgp
