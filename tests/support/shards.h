#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "splitgp/router.h"
#include "splitgp/shard.h"
#include "support/random_matrix.h"

namespace splitgp::testing {

/// A router and its shards in one process. Messages to one shard stay in order; which shard works
/// next, and how long its replies take, is drawn at random.
class Shards {
 public:
  Shards(Router made, std::uint64_t seed)
      : router(std::move(made)),
        random_(seed),
        shards_(router.n_shards()),
        inboxes_(router.n_shards()) {
    post(router.start());
  }

  void learn(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Y, std::size_t batch,
             bool predict = false) {
    router.learn(X, Y, Eigen::VectorXd(), predict);
    settle(batch);
  }

  /// Until the router is idle.
  void settle(std::size_t batch) {
    while (!router.idle()) {
      if (router.unanswered() < 8 * shards_.size()) post(router.route(batch));
      if (faults > 0.0 && random_.uniform() < faults) kill();
      work();
    }
  }

  Prediction predict(const Eigen::MatrixXd& X) {
    while (true) {
      const Router::QuestionsPointer questions = router.ask(X);
      std::vector<std::vector<std::uint8_t>> replies;
      for (const Parcel& parcel : router.parcels(*questions)) {
        while (!inboxes_[parcel.shard].empty()) work(parcel.shard);
        replies.push_back(shards_[parcel.shard].answer(parcel.epoch, *parcel.message));
      }
      if (std::optional<Prediction> result =
              router.predict(*questions, {replies.begin(), replies.end()})) {
        return *std::move(result);
      }
      for (std::size_t s = 0; s < shards_.size(); ++s) {
        if (shards_[s].n_local() == 0) post(router.reload(s));
      }
    }
  }

  void add_shard(std::size_t batch) {
    router.add_shard();
    shards_.emplace_back();
    inboxes_.emplace_back();
    post(router.start());
    settle(batch);
  }

  /// A shard loses its state, and perhaps what was on its way to it.
  void kill() { kill(static_cast<std::size_t>(random_.index(std::ssize(shards_)))); }
  void kill(std::size_t shard) {
    shards_[shard] = Shard();
    ++kills;
    if (random_.uniform() < 0.5) inboxes_[shard].clear();
    // Whoever notices first: the next message that is refused, or the caller.
    if (inboxes_[shard].empty()) post(router.reload(shard));
  }

  const std::vector<Shard>& shards() const { return shards_; }
  Router router;
  double faults = 0.0;  // the chance of a kill before a message is handled
  int kills = 0;

 private:
  void post(const std::vector<Parcel>& parcels) {
    for (const Parcel& parcel : parcels) {
      if (parcel.begins) inboxes_[parcel.shard].clear();
      inboxes_[parcel.shard].push_back(parcel);
    }
  }

  void work() {
    std::vector<std::size_t> busy;
    for (std::size_t s = 0; s < inboxes_.size(); ++s)
      if (!inboxes_[s].empty()) busy.push_back(s);
    if (!busy.empty()) work(busy[static_cast<std::size_t>(random_.index(std::ssize(busy)))]);
  }

  void work(std::size_t s) {
    const Parcel parcel = inboxes_[s].front();
    inboxes_[s].pop_front();
    if (parcel.begins) {
      shards_[s].begin(parcel.epoch, parcel.number, *parcel.message);
      return;
    }
    std::vector<std::uint8_t> reply =
        shards_[s].apply(parcel.epoch, parcel.number, *parcel.message);
    // Now and then a message is delivered twice.
    if (random_.uniform() < 0.05)
      reply = shards_[s].apply(parcel.epoch, parcel.number, *parcel.message);
    if (!router.receive(s, parcel.epoch, parcel.number, reply)) post(router.reload(s));
  }

  Random random_;
  std::vector<Shard> shards_;
  std::vector<std::deque<Parcel>> inboxes_;
};

}  // namespace splitgp::testing
