#include "cli/stream/model.h"

#include <utility>

namespace splitgp {

StreamModel::StreamModel(SplittingGp model, ObservationColumns columns)
    : memory_(std::move(model)), columns_(std::move(columns)) {}

StreamModel::StreamModel(ModelFile file, ObservationColumns columns)
    : file_(std::move(file)), columns_(std::move(columns)) {}

void StreamModel::make_file(const std::filesystem::path& path, Durability durability) {
  ModelFileOptions options{durability, columns_.inputs, columns_.outputs};
  file_ = ModelFile::create(path, std::move(*memory_), std::move(options));
  memory_.reset();
}

UpdateResult StreamModel::append(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  return file_ ? file_->append(x, y) : memory_->update(x, y);
}

void StreamModel::commit(const std::vector<SourcePosition>& positions) {
  if (file_) file_->checkpoint(positions);
}

std::uint64_t StreamModel::rows_of(const std::string& source) const {
  return file_ ? file_->position(source).rows : 0;
}

void StreamModel::set_note(const std::string& key, std::string text) {
  if (file_) file_->set_note(key, std::move(text));
}

std::optional<std::string> StreamModel::note(const std::string& key) const {
  return file_ ? file_->note(key) : std::nullopt;
}

ObservationColumns columns_of(const ModelFile& file) {
  ObservationColumns columns{file.input_names(), file.output_names()};
  Eigen::Index number = 0;
  const auto fill = [&number](std::vector<std::string>& names, Eigen::Index count) {
    if (std::ssize(names) == count) {
      number += count;
      return;
    }
    names.clear();
    for (Eigen::Index k = 0; k < count; ++k) names.push_back(std::to_string(++number));
  };
  fill(columns.inputs, file.model().n_inputs());
  fill(columns.outputs, file.model().n_outputs());
  return columns;
}

}  // namespace splitgp
