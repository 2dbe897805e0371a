#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "splitgp/ahead.h"
#include "splitgp/model_file.h"
#include "splitgp/options.h"
#include "splitgp/results.h"
#include "splitgp/storage.h"

namespace splitgp {

/// A message for one shard. Messages to one shard are to be done in the order of their numbers.
struct Parcel {
  std::size_t shard = 0;
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
  bool begins = false;  ///< For Shard::begin; otherwise for Shard::apply.
  std::shared_ptr<const std::vector<std::uint8_t>> message;
};

/// What a router has done, to tell how far it reaches.
struct RouterCounts {
  std::uint64_t rows = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t parcels = 0;
  std::uint64_t rows_with_many_shards = 0;  ///< More than one shard had to do something for it.
  std::uint64_t splits = 0;
  std::uint64_t moves = 0;                     ///< Splits whose second child went to another shard.
  std::uint64_t queries = 0;                   ///< Predictions asked for, …
  std::uint64_t queries_with_many_shards = 0;  ///< … and those that asked more than one shard.
  std::uint64_t waits_for_training =
      0;  ///< Times that routing stopped because a training might be due.
  std::uint64_t trainings = 0;
};

/// A SplittingGp in several processes: the router has the partition, θ, calibration and the model
/// file, shards (splitgp/shard.h) have the local GPs' factors. The model is the same as on one
/// machine, row by row (docs/scale_out.md), and the file is one that ModelFile reads and writes.
///
/// The caller carries messages:
///
///     for (Parcel& parcel : router.start()) send(parcel);   // replies go to receive()
///     router.learn(X, Y);
///     while (!router.idle()) {
///       for (Parcel& parcel : router.route(256)) send(parcel);
///       router.receive(…);                                  // of any shard that has replied
///     }
///
/// Not every option can be kept: without knowing how one row ended the next could not be routed.
/// The constructors throw InvalidArgument, naming the option, if training is background, outliers
/// are rejected, or anything is ever forgotten.
///
/// Threads: every method needs exclusive access.
class Router {
 public:
  /// A new model in a new file.
  static Router create(const std::filesystem::path& path, Eigen::Index inputs, Eigen::Index outputs,
                       Options options, std::size_t shards, ModelFileOptions file_options = {});
  /// Continues the model of a file.
  static Router open(const std::filesystem::path& path, std::size_t shards,
                     ModelFileOptions file_options = {});
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;
  ~Router();

  /// What every shard begins with; call it once.
  std::vector<Parcel> start();

  /// Takes in rows, the columns of X and Y, which route() then routes. `predict`: each is predicted
  /// just before it is learned; take_predictions() has the results. Bad values change nothing.
  void learn(const Eigen::Ref<const ColumnMatrix>& X, const Eigen::Ref<const ColumnMatrix>& Y,
             const Eigen::Ref<const Eigen::VectorXd>& noise_variance = Eigen::VectorXd(),
             bool predict = false) {
    learn(MatrixView(X), MatrixView(Y), MatrixView(noise_variance), predict);
  }
  /// Routes up to `most` of them; fewer, or none, while it has to wait for replies.
  std::vector<Parcel> route(std::size_t most);
  /// A shard's reply to a parcel, in any order. One that is not waited for is ignored. Throws
  /// NumericalError if a shard failed: continue from the file.
  /// Returns false if the shard has lost its state: see reload().
  bool receive(std::size_t shard, std::uint64_t epoch, std::uint64_t number,
               std::span<const std::uint8_t> reply);
  /// Parcels that have not been answered.
  std::size_t unanswered() const;
  /// Whether route() would do nothing until something is received.
  bool waits() const;
  /// Nothing is left to route or to wait for.
  bool idle() const;
  /// The predictions of rows learned since the last call, in order.
  Prediction take_predictions();

  /// Everything a shard needs that has lost its state: what it held at the last checkpoint, and all
  /// parcels since. Answers to those still waited for count, others are ignored.
  std::vector<Parcel> reload(std::size_t shard);

  /// Questions about the columns of X, each answered for when `ahead` says, one message for each
  /// shard that has to answer some. REQUIRES: idle(). Shard::answer replies; predict() wants the
  /// replies in the same order. An empty optional means that a shard has lost its state.
  struct Questions;
  struct QuestionsDeleter {
    void operator()(Questions* questions) const;
  };
  using QuestionsPointer = std::unique_ptr<Questions, QuestionsDeleter>;
  QuestionsPointer ask(const Eigen::Ref<const ColumnMatrix>& X, const Ahead& ahead = {}) {
    return ask(MatrixView(X), ahead);
  }
  const std::vector<Parcel>& parcels(const Questions& questions) const;
  std::optional<Prediction> predict(Questions& questions,
                                    const std::vector<std::span<const std::uint8_t>>& replies);

  /// Adds a shard, which takes over its share of the local GPs.  REQUIRES: idle(). Parcels as
  /// route(); it is done when the router is idle again.
  void add_shard();

  /// Writes everything learned since the last checkpoint.  REQUIRES: idle().
  void checkpoint(const std::vector<SourcePosition>& positions = {});
  /// A copy of the file, as of the last checkpoint.
  void save(const std::filesystem::path& path);
  ModelFile& file();

  const Options& options() const;
  Eigen::Index n_inputs() const;
  Eigen::Index n_outputs() const;
  /// Rows that are learned, and replied to.
  std::uint64_t n_observations() const;
  Eigen::Index n_local() const;
  std::size_t n_shards() const;
  /// Which shard holds each local GP.
  const std::vector<std::size_t>& shard_of() const;
  /// Of the router alone.
  std::size_t memory_bytes() const;
  const Hyperparameters& hyperparameters() const;
  std::uint64_t theta_version() const;
  const RouterCounts& counts() const;

 private:
  struct State;
  explicit Router(std::unique_ptr<State> state);
  void learn(MatrixView X, MatrixView Y, MatrixView noise_variance, bool predict);
  QuestionsPointer ask(MatrixView X, const Ahead& ahead);
  std::unique_ptr<State> state_;
};

}  // namespace splitgp
