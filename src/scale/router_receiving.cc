// What a router learns from its shards.
#include <algorithm>
#include <utility>

#include "core/model/compiled_core.h"
#include "core/model/model_training.h"
#include "core/train/training_set.h"
#include "scale/router_state.h"

namespace splitgp {

using Eigen::Index;
using scale::Bytes;
using scale::Command;
using scale::Reader;
using scale::Status;

bool Router::receive(std::size_t shard, std::uint64_t epoch, std::uint64_t number,
                     std::span<const std::uint8_t> reply) {
  State& s = *state_;
  if (shard >= s.outboxes.size() || epoch != s.outboxes[shard].epoch) return true;
  Reader reader(reply);
  const auto status = reader.get<Status>();
  if (status == Status::lost) return false;
  if (status == Status::failed) throw NumericalError("a shard failed: " + reader.get_text());
  for (State::Batch& batch : s.on_their_way) {
    const auto expected = batch.replies.find({shard, number});
    if (expected == batch.replies.end()) continue;
    if (expected->second) return true;
    // It was done, but the reply was lost on its way, and the shard only keeps its last one.
    if (status == Status::stale) return false;
    expected->second = Bytes(reply.begin(), reply.end());
    s.counts.bytes_received += reply.size();
    --batch.missing;
    break;
  }
  while (!s.on_their_way.empty() && s.on_their_way.front().missing == 0) {
    State::Batch batch = std::move(s.on_their_way.front());
    s.on_their_way.pop_front();
    s.change([&] { s.account_for(batch); });
  }
  return true;
}

void Router::State::account_for(Batch& batch) {
  Readers readers;
  for (const auto& [from, reply] : batch.replies) {
    Reader reader(*reply);
    reader.get<Status>();
    readers.insert_or_assign(from.first, reader);
  }
  for (Row& row : batch.rows) account_for(row, readers);
  if (!batch.drawn.empty()) train_on(batch, readers);
  if (!batch.given.empty()) take_over(batch, readers);
}

void Router::State::account_for(Row& row, Readers& readers) {
  Routed& r = row.routed;
  Found found;
  const auto asked = std::ssize(r.asked);
  found.means.resize(model.outputs, asked);
  found.local_scales.resize(model.outputs, asked);
  Eigen::VectorXd column(model.outputs);
  for (Index i = 0; i < asked; ++i) {
    Reader& from = readers.at(shard(r.asked[static_cast<std::size_t>(i)]));
    from.get_matrix(column);
    found.means.col(i) = column;
    found.posteriors.push_back(from.get<LocalGp::Posterior>());
    if (model.monitor.calibrators.empty()) continue;
    from.get_matrix(column);
    found.local_scales.col(i) = column;
  }

  UpdateResult& result = r.result;
  Index& owner_size = sizes[static_cast<std::size_t>(result.record.routed_to)];
  Reader& owner = readers.at(shard(result.record.routed_to));
  found.owner_scales.resize(model.outputs);
  found.owner_scales_after.resize(model.outputs);
  found.innovation.resize(model.outputs);
  owner.get_matrix(found.owner_scales);
  owner.get_matrix(found.owner_scales_after);
  owner.get_matrix(found.innovation);
  found.deviation = owner.get<double>();
  result.record.jitter = owner.get<double>();
  result.record.displaced = owner.get_optional();
  if (!model.monitor.calibrators.empty()) {
    found.back = LookedBack(model.outputs);
    owner.get_matrix(found.back.error);
    owner.get_matrix(found.back.variance);
    owner.get_matrix(found.back.share);
  }
  owner_size += result.record.displaced ? 0 : 1;
  if (result.record.new_local_gp) {
    if (!model.options.comparison.inherit) owner_size -= std::ssize(result.record.leaving);
    sizes.push_back(model.options.comparison.inherit ? owner_size
                                                     : std::ssize(result.record.leaving));
    if (row.moves) {
      // It arrives with the first message to its new shard.
      const Index child = *result.record.new_local_gp;
      scale::Writer& message = to(child).put(Command::place).put(static_cast<std::uint64_t>(child));
      message.put(model.partition.at(child).theta().version);
      scale::put(message, scale::get_points(owner, model.inputs, model.outputs));
    }
  }
  for (const Index local_gp : r.offered) {
    Reader& from = readers.at(shard(local_gp));
    const bool borrowed = from.get<bool>();
    const std::optional<std::uint64_t> displaced = from.get_optional();
    if (!borrowed) continue;
    result.record.borrowed.add({local_gp, displaced});
    if (!displaced) ++sizes[static_cast<std::size_t>(local_gp)];
  }

  --ahead;
  Prediction* before = row.predict ? &predictions.emplace_back() : nullptr;
  const Observation learned{row.x, row.y, row.noise_variance, result.sequence};
  core().account(model, learned, r, found, before);
  Internals::journal(file.model()).note(learned, result, /*timed=*/false);
  train();
}

// Train(θ, 𝒜), if it is due and the router has what it looks at. Most local GPs are smaller than a
// neighbourhood, and of those it only looks at what they own.
void Router::State::train() {
  const Options& options = model.options;
  const Index neighbourhood = std::min<Index>(kNeighbourhood, options.training_observations);
  if (options.capacity >= neighbourhood) wanted = core().drawn_whole(model, sizes);
  if (!wanted.empty()) {
    barrier = true;
    return;
  }
  const std::uint64_t before = model.knowledge.theta->version;
  const bool trained = core().train_if_due(model);
  if (trained) ++counts.trainings;
  if (model.knowledge.theta->version == before) return;
  tell_theta();
  if (trained) return;
  // θ has followed the scale of the first rows, and so have all local GPs.
  for (Index i = 0; i < model.partition.size(); ++i) {
    to(i).put(Command::refit).put(static_cast<std::uint64_t>(i));
    to(i).put(model.partition.at(i).theta().version);
  }
}

void Router::State::train_on(Batch& batch, Readers& readers) {
  for (const Index i : batch.drawn) {
    LocalGp& local = model.partition.at(i);
    local = LocalGp::restore(scale::get_points(readers.at(shard(i)), model.inputs, model.outputs),
                             local.theta_pointer(), model.options);
  }
  const std::uint64_t before = model.knowledge.theta->version;
  if (core().train_if_due(model)) ++counts.trainings;
  for (const Index i : batch.drawn) model.partition.at(i) = model.partition.at(i).outline();
  if (model.knowledge.theta->version != before) tell_theta();
}

void Router::State::take_over(Batch& batch, Readers& readers) {
  for (const auto& [local_gp, from] : batch.given) {
    scale::Writer& message = to(local_gp).put(Command::place);
    message.put(static_cast<std::uint64_t>(local_gp));
    message.put(model.partition.at(local_gp).theta().version);
    scale::put(message, scale::get_points(readers.at(from), model.inputs, model.outputs));
  }
}

}  // namespace splitgp
