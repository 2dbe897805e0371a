#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/api/internals.h"
#include "core/model/route.h"
#include "scale/message.h"
#include "scale/placement.h"
#include "splitgp/router.h"
#include "store/file_internals.h"

namespace splitgp {

/// Throws if an option cannot be kept exactly when rows are routed before it is known how the last
/// ones ended.
void check_shardable(const Options& options);

struct Router::State {
  State(ModelFile opened, std::size_t shards);

  // One row on its way: what it asks, and in `shards` who has to reply, in order of reading.
  struct Row {
    Eigen::VectorXd x;
    Eigen::VectorXd y;
    double noise_variance = 0.0;
    bool predict = false;
    bool moves = false;  // its split's second child goes to another shard
    Routed routed;
  };
  // Rows that were routed together, and the replies so far. Without rows: local GPs that move, or
  // whose points a training looks at.
  struct Batch {
    std::vector<Row> rows;
    std::vector<std::pair<Eigen::Index, std::size_t>> given;  // local GP, and where from
    std::vector<Eigen::Index> drawn;
    std::map<std::pair<std::size_t, std::uint64_t>, std::optional<scale::Bytes>> replies;
    std::size_t missing = 0;
  };
  // What a shard was sent since the last checkpoint, and what it will be.
  struct Outbox {
    std::uint64_t epoch = 0;
    std::uint64_t next = 0;
    scale::Writer unsent;
    std::vector<Parcel> sent;
  };

  // Runs work(), which changes the model. If that fails, nobody knows what it has done.
  template <typename Work>
  void change(const Work& work) {
    Internals::check_usable(file.model());
    try {
      work();
    } catch (...) {
      FileInternals::give_up(file);
      throw;
    }
  }

  // Sending (scale/router_sending.cc)
  std::size_t shard(Eigen::Index local_gp) const { return placement.shard(local_gp); }
  scale::Writer& to(Eigen::Index local_gp) { return outboxes[shard(local_gp)].unsent; }
  void tell_theta();
  void write_row(const Row& row);
  std::vector<Parcel> send(Batch batch);
  Parcel pack(std::size_t shard);
  scale::Bytes beginning(std::size_t shard, const ModelState& from) const;
  bool barred() const;
  bool has_unsent() const;

  // Receiving (scale/router_receiving.cc)
  using Readers = std::map<std::size_t, scale::Reader>;
  void account_for(Batch& batch);
  void account_for(Row& row, Readers& readers);
  void take_over(Batch& batch, Readers& readers);
  void train();
  void train_on(Batch& batch, Readers& readers);

  ModelFile file;
  ModelState& model;  // the file's, with outlines for local GPs
  scale::Placement placement;
  std::vector<std::size_t> placed;  // as of the last checkpoint
  std::vector<Outbox> outboxes;
  std::uint64_t epochs = 0;
  std::vector<Parcel> first;  // for start()

  std::deque<Row> waiting;
  std::deque<Batch> on_their_way;
  std::uint64_t ahead = 0;  // rows routed but not accounted for
  std::uint64_t routed = 0;
  bool barrier = false;              // nothing is routed until all is received
  std::vector<Eigen::Index> sizes;   // points that each local GP holds
  std::vector<Eigen::Index> wanted;  // whose points the training needs
  std::vector<std::pair<Eigen::Index, std::size_t>> moving;
  std::vector<Prediction> predictions;
  RouterCounts counts;
};

}  // namespace splitgp
