#include "splitgp/shard.h"

#include <algorithm>
#include <exception>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/model/compiled_core.h"
#include "core/model/model_state.h"
#include "core/predict/predictor.h"
#include "scale/message.h"

namespace splitgp {

using Eigen::Index;
using scale::Bytes;
using scale::Command;
using scale::Reader;
using scale::Status;
using scale::Writer;

namespace {

Bytes only(Status status) { return Writer().put(status).take(); }

Bytes failed(const std::exception& error) {
  return Writer().put(Status::failed).put_text(error.what()).take();
}

}  // namespace

struct Shard::State {
  State(Index inputs, Index outputs, const Options& options) : model(inputs, outputs, options) {
    model.partition.may_be_dormant = true;
    row.x.resize(inputs);
    row.y.resize(outputs);
  }

  Index slot(std::uint64_t local_gp) const {
    const auto found = slots.find(local_gp);
    if (found == slots.end())
      throw InvalidArgument("local GP " + std::to_string(local_gp) + " is not in this shard");
    return found->second;
  }
  const ThetaPointer& theta(std::uint64_t version) const {
    const auto found = thetas.find(version);
    if (found == thetas.end())
      throw InvalidArgument("version " + std::to_string(version) + " of theta is unknown here");
    return found->second;
  }
  void hold(std::uint64_t local_gp, LocalGp local);
  LocalGp release(std::uint64_t local_gp);
  void follow(Reader& commands, Writer& reply);
  void follow(Command command, Reader& commands, Writer& reply);

  // The observation that commands are about.
  struct Row {
    std::uint64_t sequence = 0;
    double noise_variance = 0.0;
    Eigen::VectorXd x;
    Eigen::VectorXd y;
    Observation observation() const { return {x, y, noise_variance, sequence}; }
  };

  // Its local GPs lie under numbers of its own, in `slots`; centers, calibrators and drift are the
  // router's, and empty here but for the number of calibrators.
  ModelState model;
  std::unordered_map<std::uint64_t, Index> slots;
  std::vector<Index> free_slots;
  std::map<std::uint64_t, ThetaPointer> thetas;
  Row row;
  Predictor predictor;

  std::uint64_t epoch = 0;
  std::uint64_t next = 0;  // the message to be done next
  Bytes last_reply;        // to the one before
};

void Shard::State::hold(std::uint64_t local_gp, LocalGp local) {
  const auto found = slots.find(local_gp);
  if (found != slots.end()) {
    model.partition.at(found->second) = std::move(local);
  } else if (!free_slots.empty()) {
    slots[local_gp] = free_slots.back();
    free_slots.pop_back();
    model.partition.at(slots[local_gp]) = std::move(local);
  } else {
    slots[local_gp] = model.partition.size();
    model.partition.local_gps.push_back(std::move(local));
  }
}

LocalGp Shard::State::release(std::uint64_t local_gp) {
  const Index at = slot(local_gp);
  LocalGp local =
      std::exchange(model.partition.at(at),
                    LocalGp(model.inputs, model.outputs, model.knowledge.theta, model.options));
  slots.erase(local_gp);
  free_slots.push_back(at);
  return local;
}

void Shard::State::follow(Reader& commands, Writer& reply) {
  while (!commands.at_end()) follow(commands.get<Command>(), commands, reply);
}

void Shard::State::follow(Command command, Reader& commands, Writer& reply) {
  const CompiledCore& compiled = core();
  switch (command) {
    case Command::theta: {
      ThetaPointer theta = scale::get_theta(commands);
      const std::uint64_t version = theta->version;
      thetas.emplace(version, std::move(theta));
      return;
    }
    case Command::place: {
      const auto local_gp = commands.get<std::uint64_t>();
      const ThetaPointer& of = theta(commands.get<std::uint64_t>());
      hold(local_gp, LocalGp::restore(scale::get_points(commands, model.inputs, model.outputs), of,
                                      model.options));
      return;
    }
    case Command::row:
      row.sequence = commands.get<std::uint64_t>();
      commands.get_matrix(row.x);
      commands.get_matrix(row.y);
      row.noise_variance = commands.get<double>();
      return;
    case Command::ask:
      predictor.questions.assign(1, {slot(commands.get<std::uint64_t>()), 0, 0});
      compiled.answer(model, row.x, predictor);
      reply.put(predictor.means.leftCols(1)).put(predictor.candidates[0].posterior);
      if (!model.monitor.calibrators.empty()) reply.put(predictor.local_scales.leftCols(1));
      return;
    case Command::learn: {
      const Index local_gp = slot(commands.get<std::uint64_t>());
      Learned learned;
      compiled.learn(model, local_gp, row.observation(), learned);
      reply.put(learned.scales).put(learned.scales_after).put(learned.innovation.transpose());
      reply.put(learned.deviation).put(learned.jitter).put(learned.displaced);
      if (!model.monitor.calibrators.empty())
        reply.put(learned.back.error)
            .put(learned.back.variance)
            .put(learned.back.share.transpose());
      return;
    }
    case Command::divide: {
      const Index parent = slot(commands.get<std::uint64_t>());
      const auto child = commands.get<std::uint64_t>();
      hold(child, compiled.divide(model, parent, commands.get_flags()));
      return;
    }
    case Command::borrow: {
      std::optional<std::uint64_t> displaced;
      const Index local_gp = slot(commands.get<std::uint64_t>());
      const bool borrowed = compiled.borrow(model, local_gp, row.observation(), displaced);
      reply.put(borrowed).put(displaced);
      return;
    }
    case Command::refit: {
      const Index local_gp = slot(commands.get<std::uint64_t>());
      compiled.refit(model, local_gp, theta(commands.get<std::uint64_t>()));
      return;
    }
    case Command::points:
      scale::put(reply, model.partition.at(slot(commands.get<std::uint64_t>())).points());
      return;
    case Command::give:
      scale::put(reply, release(commands.get<std::uint64_t>()).points());
      return;
  }
  throw InvalidArgument("a message to a shard has an unknown command");
}

Shard::Shard() = default;
Shard::Shard(Shard&&) noexcept = default;
Shard& Shard::operator=(Shard&&) noexcept = default;
Shard::~Shard() = default;

Bytes Shard::begin(std::uint64_t epoch, std::uint64_t number,
                   std::span<const std::uint8_t> message) {
  if (state_ && epoch <= state_->epoch) return only(Status::stale);
  try {
    Reader commands(message);
    const auto inputs = commands.get<Index>();
    const auto outputs = commands.get<Index>();
    auto fresh = std::make_unique<State>(inputs, outputs, scale::get_options(commands));
    Writer reply;
    reply.put(Status::done);
    fresh->follow(commands, reply);
    fresh->epoch = epoch;
    fresh->next = number;
    state_ = std::move(fresh);
    return reply.take();
  } catch (const Error& error) {
    return failed(error);
  }
}

Bytes Shard::apply(std::uint64_t epoch, std::uint64_t number,
                   std::span<const std::uint8_t> message) {
  if (!state_ || epoch > state_->epoch) return only(Status::lost);
  if (epoch < state_->epoch) return only(Status::stale);
  if (number + 1 == state_->next) return state_->last_reply;
  if (number < state_->next) return only(Status::stale);
  if (number > state_->next) return only(Status::lost);
  try {
    Reader commands(message);
    Writer reply;
    reply.put(Status::done);
    state_->follow(commands, reply);
    ++state_->next;
    state_->last_reply = reply.take();
    return state_->last_reply;
  } catch (const Error& error) {
    state_.reset();  // it may have done half of it
    return failed(error);
  } catch (...) {
    state_.reset();
    throw;
  }
}

Bytes Shard::answer(std::uint64_t epoch, std::span<const std::uint8_t> questions) const {
  if (!state_ || epoch > state_->epoch) return only(Status::lost);
  if (epoch < state_->epoch) return only(Status::stale);
  try {
    static thread_local Predictor predictor;
    const ModelState& model = state_->model;
    Reader from(questions);
    Eigen::MatrixXd X(model.inputs, from.get<Index>());
    from.get_matrix(X);
    const std::vector<std::uint64_t> local_gps = from.get_list<std::uint64_t>();
    const std::vector<std::uint32_t> queries = from.get_list<std::uint32_t>();
    predictor.questions.clear();
    for (std::size_t q = 0; q < local_gps.size(); ++q) {
      predictor.questions.push_back(
          {state_->slot(local_gps[q]), static_cast<Index>(queries.at(q)), static_cast<Index>(q)});
    }
    core().answer(model, X, predictor);
    const auto count = std::ssize(local_gps);
    Writer reply;
    reply.put(Status::done).put(predictor.means.leftCols(count));
    for (Index q = 0; q < count; ++q)
      reply.put(predictor.candidates[static_cast<std::size_t>(q)].posterior);
    if (!model.monitor.calibrators.empty()) reply.put(predictor.local_scales.leftCols(count));
    return reply.take();
  } catch (const Error& error) {
    return failed(error);
  }
}

std::size_t Shard::n_local() const { return state_ ? state_->slots.size() : 0; }

std::size_t Shard::memory_bytes() const {
  if (!state_) return 0;
  std::size_t bytes = sizeof(State);
  for (const LocalGp& local : state_->model.partition.local_gps) bytes += local.memory_bytes();
  return bytes + state_->last_reply.capacity();
}

}  // namespace splitgp
