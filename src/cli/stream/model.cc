#include "cli/stream/model.h"

#include <utility>

namespace splitgp {
namespace {

std::string front_key(const std::string& source) { return "stream_front " + source; }

}  // namespace

StreamModel::StreamModel(SplittingGp model, ObservationColumns columns)
    : memory_(std::move(model)), columns_(std::move(columns)) {}

StreamModel::StreamModel(ModelFile file, ObservationColumns columns)
    : file_(std::move(file)), columns_(std::move(columns)) {}

StreamModel::StreamModel(LoadedModel loaded, ObservationColumns columns)
    : loaded_(std::move(loaded)), columns_(std::move(columns)) {}

const SplittingGp& StreamModel::model() const {
  if (loaded_) return loaded_->model;
  return file_ ? file_->model() : *memory_;
}

void StreamModel::make_file(const std::filesystem::path& path, Durability durability) {
  ModelFileOptions options{durability, columns_.inputs, columns_.outputs};
  file_ = ModelFile::create(path, std::move(*memory_), std::move(options));
  memory_.reset();
}

UpdateResult StreamModel::predict_then_update(const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                                              Prediction& before) {
  return file_ ? file_->predict_then_update(x, y, before)
               : memory_->predict_then_update(x, y, before);
}

void StreamModel::finish_training() {
  if (file_) file_->finish_training();
  if (memory_) memory_->finish_training();
}

void StreamModel::commit(const std::vector<SourcePosition>& positions) {
  if (file_) file_->checkpoint(positions);
}

std::uint64_t StreamModel::rows_of(const std::string& source) const {
  return file_ ? file_->position(source).rows : 0;
}

std::optional<Fingerprint> StreamModel::front_of(const std::string& source) const {
  const std::optional<std::string> text = note(front_key(source));
  return text ? Fingerprint::from_note(*text) : std::nullopt;
}

void StreamModel::set_front(const std::string& source, const Fingerprint& front) {
  set_note(front_key(source), front.to_note());
}

void StreamModel::set_note(const std::string& key, std::string text) {
  if (file_) file_->set_note(key, std::move(text));
}

std::optional<std::string> StreamModel::note(const std::string& key) const {
  return file_ ? file_->note(key) : std::nullopt;
}

}  // namespace splitgp
