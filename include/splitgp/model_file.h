#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "splitgp/splitting_gp.h"

namespace splitgp {

/// A model file that cannot be read or written: not one of ours, newer than this library, damaged,
/// in use by another process, or on a full or failing disk. The message names the file and the
/// reason.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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

  /// As open(), but reads only: never changes the file, and leaves it free for a writer.
  static ModelFile open_read_only(const std::filesystem::path& path);

  ModelFile(ModelFile&&) noexcept;
  ModelFile& operator=(ModelFile&&) noexcept;
  /// Does not checkpoint: what was not written is dropped.
  ~ModelFile();

  const SplittingGp& model() const;
  /// For predict, wake, train, refit. Learn through append() only.
  SplittingGp& model();
  const std::vector<std::string>& input_names() const;
  const std::vector<std::string>& output_names() const;

  /// model().update() of an observation that the next checkpoint writes.
  UpdateResult append(const Eigen::Ref<const Eigen::VectorXd>& x,
                      const Eigen::Ref<const Eigen::VectorXd>& y, double noise_variance = 0.0);

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
  explicit ModelFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace splitgp
