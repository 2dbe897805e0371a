// What a router tells its shards.
#include <algorithm>
#include <chrono>
#include <utility>

#include "core/api/internals.h"
#include "core/model/compiled_core.h"
#include "core/model/model_training.h"
#include "scale/router_state.h"

namespace splitgp {

using Eigen::Index;
using scale::Bytes;
using scale::Command;
using scale::Writer;

namespace {

std::uint64_t number(Index local_gp) { return static_cast<std::uint64_t>(local_gp); }

void refuse(const char* option, const std::string& value, const char* why) {
  throw InvalidArgument(std::string(option) + " is " + value + "; a model in shards " + why);
}

}  // namespace

void check_shardable(const Options& options) {
  if (options.training == Training::background)
    refuse("training", "background", "trains inline or not at all");
  if (options.outliers == Outliers::reject)
    refuse("outliers", "reject", "learns every row, so it must be learn");
  if (options.on_drift == OnDrift::forget)
    refuse("on_drift", "forget", "forgets nothing, so it must be report");
  const char* keeps_all = "forgets nothing, so it must be 0";
  if (options.window_size > 0)
    refuse("window_size", std::to_string(options.window_size), keeps_all);
  if (options.max_observations > 0)
    refuse("max_observations", std::to_string(options.max_observations), keeps_all);
  if (options.max_age > 0.0) refuse("max_age", std::to_string(options.max_age), keeps_all);
}

namespace {

// Later than every epoch of a router that had the file before: its messages may still be on their
// way.
std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace

Router::State::State(ModelFile opened, std::size_t shards)
    : file(std::move(opened)), model(FileInternals::model(file)), placement(shards) {
  if (shards < 1) throw InvalidArgument("shards is 0; it must be at least 1");
  check_shardable(model.options);
  Partition& partition = model.partition;
  if (partition.holders.started())
    throw InvalidArgument("the model has forgotten observations; a model in shards cannot");
  placement.place_all(partition.size(), partition.split_history);
  placed = placement.shard_of();
  routed = model.knowledge.observations;
  epochs = now();
  for (std::size_t s = 0; s < shards; ++s) {
    outboxes.emplace_back().epoch = epochs;
    first.push_back({s, epochs, 0, true, std::make_shared<const Bytes>(beginning(s, model))});
  }
  for (LocalGp& local : partition.local_gps) {
    sizes.push_back(local.size());
    local = local.outline();
  }
}

// Everything that a shard holds at the start: `from` has complete local GPs.
Bytes Router::State::beginning(std::size_t shard, const ModelState& from) const {
  Writer message;
  message.put(from.inputs).put(from.outputs);
  scale::put(message, from.options);
  std::set<std::uint64_t> told{from.knowledge.theta->version};
  message.put(Command::theta);
  scale::put(message, *from.knowledge.theta);
  for (Index i = 0; i < from.partition.size(); ++i) {
    if (placed[static_cast<std::size_t>(i)] != shard) continue;
    const LocalGp& local = from.partition.at(i);
    if (told.insert(local.theta().version).second) {
      message.put(Command::theta);
      scale::put(message, local.theta());
    }
    message.put(Command::place).put(number(i)).put(local.theta().version);
    scale::put(message, local.points());
  }
  return message.take();
}

void Router::State::tell_theta() {
  for (Outbox& outbox : outboxes) {
    outbox.unsent.put(Command::theta);
    scale::put(outbox.unsent, *model.knowledge.theta);
  }
}

// The order within a shard is that of core/model/update.cc; account_for() reads the replies in the
// same.
void Router::State::write_row(const Row& row) {
  const Routed& r = row.routed;
  const std::uint64_t sequence = r.result.sequence;
  std::set<std::size_t> told;
  const auto write = [&](Index local_gp) -> Writer& {
    Writer& message = to(local_gp);
    if (told.insert(shard(local_gp)).second)
      message.put(Command::row).put(sequence).put(row.x).put(row.y).put(row.noise_variance);
    return message;
  };
  for (const Index local_gp : r.asked) write(local_gp).put(Command::ask).put(number(local_gp));

  const Index owner = r.result.record.routed_to;
  write(owner).put(Command::learn).put(number(owner));
  if (r.result.record.new_local_gp) {
    const std::uint64_t child = number(*r.result.record.new_local_gp);
    write(owner).put(Command::divide).put(number(owner)).put(child).put_flags(r.leaves);
    if (row.moves) write(owner).put(Command::give).put(child);
  }
  for (const Index local_gp : r.offered) write(local_gp).put(Command::borrow).put(number(local_gp));
  // A child that moves arrives with its θ.
  const bool arrives = row.moves && r.result.record.renewed == r.result.record.new_local_gp;
  if (const auto renewed = r.result.record.renewed; renewed && !arrives) {
    to(*renewed).put(Command::refit).put(number(*renewed));
    to(*renewed).put(model.knowledge.theta->version);
  }
  if (told.size() > 1) ++counts.rows_with_many_shards;
}

Parcel Router::State::pack(std::size_t shard) {
  Outbox& outbox = outboxes[shard];
  Parcel parcel{shard, outbox.epoch, outbox.next++, false,
                std::make_shared<const Bytes>(outbox.unsent.take())};
  outbox.sent.push_back(parcel);
  ++counts.parcels;
  counts.bytes_sent += parcel.message->size();
  return parcel;
}

std::vector<Parcel> Router::State::send(Batch batch) {
  std::vector<Parcel> parcels;
  for (std::size_t s = 0; s < outboxes.size(); ++s) {
    if (outboxes[s].unsent.empty()) continue;
    parcels.push_back(pack(s));
    batch.replies[{s, parcels.back().number}] = std::nullopt;
    ++batch.missing;
  }
  on_their_way.push_back(std::move(batch));
  return parcels;
}

bool Router::State::has_unsent() const {
  return std::any_of(outboxes.begin(), outboxes.end(),
                     [](const Outbox& outbox) { return !outbox.unsent.empty(); });
}

// Whether nothing may be routed now.
bool Router::State::barred() const {
  if (on_their_way.empty()) return false;
  return barrier || !may_route(model, ahead);
}

std::vector<Parcel> Router::route(std::size_t most) {
  State& s = *state_;
  if (s.on_their_way.empty()) s.barrier = false;
  if (s.barrier) return {};
  if (!s.wanted.empty() || !s.moving.empty()) {
    State::Batch batch;
    batch.drawn = std::exchange(s.wanted, {});
    batch.given = std::exchange(s.moving, {});
    for (const Index i : batch.drawn) s.to(i).put(Command::points).put(number(i));
    for (const auto& [i, from] : batch.given)
      s.outboxes[from].unsent.put(Command::give).put(number(i));
    s.barrier = true;
    return s.send(std::move(batch));
  }
  State::Batch batch;
  while (batch.rows.size() < most && !s.waiting.empty() && !s.barrier) {
    if (!may_route(s.model, s.ahead)) {
      ++s.counts.waits_for_training;
      break;
    }
    s.change([&] {
      State::Row& row = batch.rows.emplace_back(std::move(s.waiting.front()));
      s.waiting.pop_front();
      core().route(s.model, {row.x, row.y, row.noise_variance, s.routed}, s.ahead, row.predict,
                   row.routed);
      if (s.placement.shard_of().empty()) {
        // The first local GP of all.
        s.placement.place(0);
        s.sizes.push_back(0);
        scale::Writer& message = s.to(0).put(Command::place).put(std::uint64_t{0});
        message.put(s.model.partition.at(0).theta().version);
        const LocalGp empty(s.model.inputs, s.model.outputs, s.model.knowledge.theta,
                            s.model.options);
        scale::put(message, empty.points());
      }
      const UpdateResult& result = row.routed.result;
      std::size_t child_goes_to = 0;
      if (result.record.new_local_gp) {
        const std::size_t here = s.shard(result.record.routed_to);
        child_goes_to = s.placement.place_child(result.record.routed_to);
        row.moves = child_goes_to != here;
        ++s.counts.splits;
        if (row.moves) ++s.counts.moves;
      }
      s.write_row(row);
      // A local GP on its way to another shard can do nothing.
      if (row.moves) s.barrier = true;
      ++s.routed;
      ++s.ahead;
      ++s.counts.rows;
    });
  }
  // What is left to say though no row says it: a new θ, a local GP that moves.
  if (batch.rows.empty() && (!s.waiting.empty() || !s.has_unsent())) return {};
  return s.send(std::move(batch));
}

std::vector<Parcel> Router::reload(std::size_t shard) {
  State& s = *state_;
  State::Outbox& outbox = s.outboxes.at(shard);
  const LoadedModel stored = load(FileInternals::path(s.file));
  outbox.epoch = s.epochs = std::max(s.epochs + 1, now());
  std::vector<Parcel> parcels{
      {shard, outbox.epoch, outbox.sent.empty() ? outbox.next : outbox.sent.front().number, true,
       std::make_shared<const Bytes>(s.beginning(shard, Internals::of(stored.model)))}};
  for (Parcel& parcel : outbox.sent) {
    parcel.epoch = outbox.epoch;
    parcels.push_back(parcel);
  }
  return parcels;
}

void Router::add_shard() {
  State& s = *state_;
  if (!idle()) throw InvalidArgument("a shard can only be added when nothing is being learned");
  s.outboxes.emplace_back().epoch = s.epochs = std::max(s.epochs + 1, now());
  Writer message;
  message.put(s.model.inputs).put(s.model.outputs);
  scale::put(message, s.model.options);
  s.moving = s.placement.add_shard(s.model.partition.split_history);
  s.first = {
      {s.outboxes.size() - 1, s.epochs, 0, true, std::make_shared<const Bytes>(message.take())}};
  // It must know every θ that a local GP may come with.
  std::set<std::uint64_t> told;
  for (const LocalGp& local : s.model.partition.local_gps) {
    if (!told.insert(local.theta().version).second) continue;
    s.outboxes.back().unsent.put(Command::theta);
    scale::put(s.outboxes.back().unsent, local.theta());
  }
  if (told.insert(s.model.knowledge.theta->version).second) {
    s.outboxes.back().unsent.put(Command::theta);
    scale::put(s.outboxes.back().unsent, *s.model.knowledge.theta);
  }
}

}  // namespace splitgp
