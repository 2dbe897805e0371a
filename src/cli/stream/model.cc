#include "cli/stream/model.h"

#include <utility>

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
  file_ = ModelFile::create(
      path, model(),
      {durability, recipe_.input_names(), columns_.outputs, {{kRecipeNote, recipe_.to_text()}}});
  kept_ = Kept::in_file;
}

void StreamModel::save_state() {
  // A model from before there were recipes has none, and needs no state.
  if (!file_.note(kRecipeNote)) return;
  state_.save(
      [this](const std::string& key, std::string text) { file_.set_note(key, std::move(text)); });
}

std::optional<Fingerprint> StreamModel::front_of(const std::string& source) const {
  const std::optional<std::string> text = file_.note(front_key(source));
  return text ? Fingerprint::from_note(*text) : std::nullopt;
}

void StreamModel::set_front(const std::string& source, const Fingerprint& front) {
  file_.set_note(front_key(source), front.to_note());
}

}  // namespace splitgp
