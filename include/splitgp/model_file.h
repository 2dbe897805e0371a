#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "splitgp/splitting_gp.h"

namespace splitgp {

/// What a checkpoint survives.
enum class Durability {
  full,    ///< A power failure: every checkpoint waits for the disk.
  normal,  ///< A process crash; a power failure may lose the last checkpoints, never the file.
};

struct ModelFileOptions {
  Durability durability = Durability::full;
  std::vector<std::string> input_names;  ///< For people and for matching columns; may be empty.
  std::vector<std::string> output_names;
  std::map<std::string, std::string> notes = {};  ///< That a new file has from the start.
};

/// How much of a source has been read, so that a restart continues there.
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

/// Reads a model file without changing it or keeping a writer out. Fast: factors are built when
/// they are first needed.
LoadedModel load(const std::filesystem::path& path);

/// A SplittingGp that lives in one SQLite file (docs/model_file.md): model() learns and answers,
/// and checkpoint() writes.
///
/// Observations learned since the last checkpoint are in memory only. A checkpoint writes them,
/// what they changed in the model, the position in the source and the notes in one transaction:
/// whenever a process is killed, the next one finds the state of the last checkpoint, with nothing
/// lost and nothing learned twice. A model that was given up (UnusableModel) is never written.
///
/// Threads: as SplittingGp. Only one process at a time can have a file open for writing.
class ModelFile {
 public:
  /// Creates a file that holds `model` and whatever it has learned. The file must not exist yet.
  /// REQUIRES: at most 1900 inputs and outputs together.
  static ModelFile create(const std::filesystem::path& path, SplittingGp model,
                          ModelFileOptions options = {});

  /// Opens an existing file with its model as of the last checkpoint. Fast: factors are built when
  /// they are first needed. Only the durability in `options` is used; the names come from the file.
  static ModelFile open(const std::filesystem::path& path, ModelFileOptions options = {});

  /// Without a file, for a program that may or may not keep what it learns: everything else works,
  /// and a checkpoint writes nothing.
  static ModelFile in_memory(SplittingGp model, ModelFileOptions options = {});

  ModelFile(ModelFile&&) noexcept;
  ModelFile& operator=(ModelFile&&) noexcept;
  /// Does not checkpoint: whatever has not been written is lost.
  ~ModelFile();

  /// The model. The next checkpoint writes whatever has changed it: when that returns, the numbers
  /// of forgotten observations are gone from the bytes of the file and of its log, unless another
  /// process is just reading it; then one of the following checkpoints clears them. The first
  /// checkpoint after the first forgetting costs as much as the whole model, and so does one after
  /// another model, with the same columns, was assigned to this one. What set_threads(),
  /// set_factor_cache_limit() and bound_latency() set is not stored.
  SplittingGp& model();
  const SplittingGp& model() const;
  const std::vector<std::string>& input_names() const;
  const std::vector<std::string>& output_names() const;

  /// Writes everything since the last checkpoint. Throws FileError if it cannot; the file is then
  /// still as of the last checkpoint, and the call may be repeated.
  void checkpoint(const std::vector<SourcePosition>& positions = {});

  /// As of the last checkpoint; 0 rows for a source never read.
  SourcePosition position(const std::string& source) const;

  /// Short texts stored with the model (running statistics, say); written by the next checkpoint.
  void set_note(const std::string& key, std::string text);
  std::optional<std::string> note(const std::string& key) const;

  /// Earlier names, for one version.
  [[deprecated("model().update")]] UpdateResult update(const Eigen::Ref<const Eigen::VectorXd>& x,
                                                       const Eigen::Ref<const Eigen::VectorXd>& y,
                                                       double noise_variance = 0.0,
                                                       double time = kNoTime) {
    return model().update(x, y, noise_variance, time);
  }
  [[deprecated("model().predict_then_update")]] UpdateResult predict_then_update(
      const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::Ref<const Eigen::VectorXd>& y,
      Prediction& before, double noise_variance = 0.0, double time = kNoTime) {
    return model().predict_then_update(x, y, before, noise_variance, time);
  }
  [[deprecated("model().forget")]] ForgetResult forget(std::span<const std::uint64_t> sequences) {
    return model().forget(sequences);
  }
  [[deprecated("model().forget_before")]] ForgetResult forget_before(std::uint64_t sequence) {
    return model().forget_before(sequence);
  }
  [[deprecated("model().train")]] TrainResult train() { return model().train(); }
  [[deprecated("model().finish_training")]] void finish_training() { model().finish_training(); }
  [[deprecated("model().set_hyperparameters")]] void set_hyperparameters(Hyperparameters theta) {
    model().set_hyperparameters(std::move(theta));
  }
  [[deprecated("model().refit")]] Eigen::Index refit(Eigen::Index most) {
    return model().refit(most);
  }
  [[deprecated("model().set_threads")]] void set_threads(int threads) {
    model().set_threads(threads);
  }
  [[deprecated("model().set_factor_cache_limit")]] void set_factor_cache_limit(Eigen::Index limit) {
    model().set_factor_cache_limit(limit);
  }

 private:
  friend struct FileInternals;  // for the rest of this project
  struct State;
  using Call = std::function<void()>;
  void checkpoint(const std::vector<SourcePosition>& positions, const Call& in_transaction,
                  const std::function<void(const Call&)>& exclusively);
  explicit ModelFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace splitgp
