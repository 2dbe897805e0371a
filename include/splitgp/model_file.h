#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "splitgp/splitting_gp.h"

namespace splitgp {

/// What a checkpoint survives.
enum class Durability {
  full,    ///< A power loss: every checkpoint waits for the disk.
  normal,  ///< A crash of the process; a power loss may cost the last checkpoints, never the file.
};

struct ModelFileOptions {
  Durability durability = Durability::full;
  std::vector<std::string> input_names;  ///< For people and for matching columns; may be empty.
  std::vector<std::string> output_names;
};

/// How much of a source has been read, so that a restart goes on there.
struct SourcePosition {
  std::string source;      ///< A file's name, or whatever the reader calls it.
  std::uint64_t rows = 0;  ///< Rows read, learned or rejected.
};

/// What a model file holds as of its last checkpoint.
struct LoadedModel {
  SplittingGp model;
  std::vector<std::string> input_names;  ///< Empty, or one for each.
  std::vector<std::string> output_names;
  std::map<std::string, std::uint64_t> positions;  ///< Rows read of each source.
  std::map<std::string, std::string> notes;
};

/// Reads a model file without changing it, and leaves it free for a writer. Quick: factors are
/// built when they are first needed.
LoadedModel load(const std::filesystem::path& path);

/// A SplittingGp that lives in one SQLite file (docs/model_file.md).
///
/// Observations learned since the last checkpoint are in memory only. A checkpoint writes them,
/// what they changed in the model, the position in the source and the notes in one transaction: a
/// process that is killed at any moment finds the state of the last checkpoint, nothing lost and
/// nothing learned twice.
///
/// Threads: as SplittingGp. One process at a time has a file open for writing.
class ModelFile {
 public:
  /// Makes a new file that holds `model`, whatever it has learned already. The file must not exist.
  /// REQUIRES: at most 1900 inputs and outputs together.
  static ModelFile create(const std::filesystem::path& path, SplittingGp model,
                          ModelFileOptions options = {});

  /// Opens an existing file and its model as of the last checkpoint. Quick: factors are built when
  /// they are first needed. Of `options` only the durability counts; the names come from the file.
  static ModelFile open(const std::filesystem::path& path, ModelFileOptions options = {});

  /// Without a file, for a program that may or may not keep what it learns: everything else works,
  /// and a checkpoint writes nothing.
  static ModelFile in_memory(SplittingGp model, ModelFileOptions options = {});

  ModelFile(ModelFile&&) noexcept;
  ModelFile& operator=(ModelFile&&) noexcept;
  /// Does not checkpoint: what was not written is dropped.
  ~ModelFile();

  const SplittingGp& model() const;
  const std::vector<std::string>& input_names() const;
  const std::vector<std::string>& output_names() const;

  /// As the methods of SplittingGp. The next checkpoint writes what they changed.
  UpdateResult update(const Eigen::Ref<const Eigen::VectorXd>& x,
                      const Eigen::Ref<const Eigen::VectorXd>& y, double noise_variance = 0.0) {
    return update(MatrixView(x), MatrixView(y), noise_variance);
  }
  UpdateResult predict_then_update(const Eigen::Ref<const Eigen::VectorXd>& x,
                                   const Eigen::Ref<const Eigen::VectorXd>& y, Prediction& before,
                                   double noise_variance = 0.0) {
    return predict_then_update(MatrixView(x), MatrixView(y), before, noise_variance);
  }
  TrainResult train();
  void finish_training();
  void set_hyperparameters(Hyperparameters theta);
  Eigen::Index refit(Eigen::Index most);
  /// No file keeps these two.
  void set_threads(int threads);
  void set_awake_limit(Eigen::Index limit);

  /// Writes everything since the last one. Throws FileError if it cannot; the file is then as of
  /// the last checkpoint and the call may be tried again.
  void checkpoint(const std::vector<SourcePosition>& positions = {});

  /// As of the last checkpoint; 0 rows for a source never read.
  SourcePosition position(const std::string& source) const;

  /// Small texts kept beside the model (running statistics, say); written by the next checkpoint.
  void set_note(const std::string& key, std::string text);
  std::optional<std::string> note(const std::string& key) const;

 private:
  struct State;
  UpdateResult update(MatrixView x, MatrixView y, double noise_variance);
  UpdateResult predict_then_update(MatrixView x, MatrixView y, Prediction& before,
                                   double noise_variance);
  explicit ModelFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace splitgp
