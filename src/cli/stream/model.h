#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/columns.h"
#include "cli/stream/fingerprint.h"
#include "splitgp/model_file.h"
#include "splitgp/splitting_gp.h"

namespace splitgp {

/// The model of a stream: in a file, in memory only, where commits do nothing, or loaded to be tested
/// and not taught.
class StreamModel {
 public:
  StreamModel(SplittingGp model, ObservationColumns columns);
  StreamModel(ModelFile file, ObservationColumns columns);
  StreamModel(LoadedModel loaded, ObservationColumns columns);

  /// Moves the model to a new file. REQUIRES: it is in memory and has learned nothing.
  void make_file(const std::filesystem::path& path, Durability durability);
  bool has_file() const { return file_ || loaded_; }
  const ObservationColumns& columns() const { return columns_; }
  const SplittingGp& model() const;

  UpdateResult predict_then_update(const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                                   Prediction& before);
  void finish_training();
  void commit(const std::vector<SourcePosition>& positions);
  std::uint64_t rows_of(const std::string& source) const;
  /// How `source` began when its rows were read; unknown in files of older versions.
  std::optional<Fingerprint> front_of(const std::string& source) const;
  void set_front(const std::string& source, const Fingerprint& front);
  void set_note(const std::string& key, std::string text);
  std::optional<std::string> note(const std::string& key) const;

 private:
  std::optional<ModelFile> file_;
  std::optional<SplittingGp> memory_;
  std::optional<LoadedModel> loaded_;
  ObservationColumns columns_;
};

}  // namespace splitgp
