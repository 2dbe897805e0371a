#include "cli/stream/model.h"

#include <map>
#include <utility>

#include "cli/exit_code.h"
#include "io/column_places.h"
#include "splitgp/error.h"
#include "store/file_internals.h"

namespace splitgp {
namespace {

std::string front_key(const std::string& source) { return "stream_front " + source; }

}  // namespace

StreamModel::StreamModel(ModelFile file, table::Recipe recipe, Kept kept)
    : file_(std::move(file)),
      recipe_(std::move(recipe)),
      state_(table::RecipeState::load(recipe_,
                                      [this](const std::string& key) { return file_.note(key); })),
      columns_{recipe_.used_columns(), recipe_.target_names()},
      kept_(kept) {}

void StreamModel::make_file(const std::filesystem::path& path, Durability durability) {
  // The recipe is in the file from the first moment: without it nothing else could be understood.
  std::map<std::string, std::string> notes{{kRecipeNote, recipe_.to_text()}};
  if (first_) {
    first_->save(
        [&notes](const std::string& key, std::string text) { notes[key] = std::move(text); });
  }
  file_ = ModelFile::create(
      path, model(), {durability, recipe_.input_names(), columns_.outputs, std::move(notes)});
  kept_ = Kept::in_file;
}

void StreamModel::save_state() {
  // A model from before there were recipes has none, and needs no state.
  if (!file_.note(kRecipeNote)) return;
  const auto set_note = [this](const std::string& key, std::string text) {
    file_.set_note(key, std::move(text));
  };
  state_.save(set_note);
  // What was forgotten must not stay in a note.
  if (first_ && model().n_seen() != model().n_observations()) settle();
  if (first_) first_->save(set_note);
}

void StreamModel::resume_first(const StreamFlags& flags) {
  first_ = FirstTable::load([this](const std::string& key) { return file_.note(key); });
  if (!first_) return;
  bool same = false;
  try {
    same = reads_alike(first_->find_again(flags).recipe, recipe_);
  } catch (const CommandError&) {  // other flags may have no recipe
  } catch (const InvalidArgument&) {
  }
  if (!same) settle();
}

void StreamModel::settle() {
  if (!first_) return;
  if (kept_ == Kept::in_file) {
    first_->erase(
        [this](const std::string& key, std::string text) { file_.set_note(key, std::move(text)); });
  }
  first_.reset();
}

void StreamModel::become(Grown grown) {
  recipe_ = std::move(grown.found.recipe);
  state_ = std::move(grown.state);
  columns_ = {recipe_.used_columns(), recipe_.target_names()};
  FileInternals::replace(file_, std::move(grown.model), recipe_.input_names());
  if (kept_ == Kept::in_file) file_.set_note(kRecipeNote, recipe_.to_text());
}

std::vector<std::string> StreamModel::wanted(const std::vector<std::string>& header) const {
  std::vector<std::string> wanted = recipe_.read_columns();
  if (!first_) return wanted;
  const ColumnPlaces read(recipe_.read_columns()), there(header);
  for (const std::string& column : first_->columns()) {
    if (!read.has(column) && there.has(column) && !there.repeated(column)) wanted.push_back(column);
  }
  return wanted;
}

std::optional<Fingerprint> StreamModel::front_of(const std::string& source) const {
  const std::optional<std::string> text = file_.note(front_key(source));
  return text ? Fingerprint::from_note(*text) : std::nullopt;
}

void StreamModel::set_front(const std::string& source, const Fingerprint& front) {
  file_.set_note(front_key(source), front.to_note());
}

}  // namespace splitgp
