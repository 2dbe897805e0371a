#include "cli/stream/model.h"

#include <utility>

namespace splitgp {
namespace {

std::string front_key(const std::string& source) { return "stream_front " + source; }

}  // namespace

StreamModel::StreamModel(ModelFile file, ObservationColumns columns, Kept kept)
    : file_(std::move(file)), columns_(std::move(columns)), kept_(kept) {}

void StreamModel::make_file(const std::filesystem::path& path, Durability durability) {
  file_ = ModelFile::create(path, model(), {durability, columns_.inputs, columns_.outputs});
  kept_ = Kept::in_file;
}

std::optional<Fingerprint> StreamModel::front_of(const std::string& source) const {
  const std::optional<std::string> text = file_.note(front_key(source));
  return text ? Fingerprint::from_note(*text) : std::nullopt;
}

void StreamModel::set_front(const std::string& source, const Fingerprint& front) {
  file_.set_note(front_key(source), front.to_note());
}

}  // namespace splitgp
