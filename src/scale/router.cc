#include "splitgp/router.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/api/internals.h"
#include "core/base/columns.h"
#include "core/model/compiled_core.h"
#include "core/options/validate.h"
#include "core/predict/predict.h"
#include "scale/router_state.h"

namespace splitgp {

using Eigen::Index;
using scale::Bytes;
using scale::Reader;
using scale::Status;
using scale::Writer;

Router::Router(std::unique_ptr<State> state) : state_(std::move(state)) {}
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;
Router::~Router() = default;

Router Router::create(const std::filesystem::path& path, Index inputs, Index outputs,
                      Options options, std::size_t shards, ModelFileOptions file_options) {
  check_shardable(complete(options));
  return Router(std::make_unique<State>(
      ModelFile::create(path, SplittingGp(inputs, outputs, std::move(options)),
                        std::move(file_options)),
      shards));
}

Router Router::open(const std::filesystem::path& path, std::size_t shards,
                    ModelFileOptions file_options) {
  return Router(std::make_unique<State>(ModelFile::open(path, std::move(file_options)), shards));
}

std::vector<Parcel> Router::start() { return std::exchange(state_->first, {}); }

void Router::learn(MatrixView X, MatrixView Y, MatrixView noise_variance, bool predict) {
  State& s = *state_;
  check_batch(X, Y, noise_variance, s.model.inputs, s.model.outputs);
  const auto noise = column(noise_variance);
  for (Index i = 0; i < X.cols; ++i) {
    State::Row& row = s.waiting.emplace_back();
    row.x = columns(X).col(i);
    row.y = columns(Y).col(i);
    row.noise_variance = noise.size() == 0 ? 0.0 : noise(i);
    row.predict = predict;
  }
}

std::size_t Router::unanswered() const {
  std::size_t parcels = 0;
  for (const State::Batch& batch : state_->on_their_way) parcels += batch.missing;
  return parcels;
}

bool Router::waits() const { return state_->barred(); }

bool Router::idle() const {
  const State& s = *state_;
  return s.waiting.empty() && s.on_their_way.empty() && s.wanted.empty() && s.moving.empty() &&
         !s.has_unsent();
}

Prediction Router::take_predictions() {
  const std::vector<Prediction> rows = std::exchange(state_->predictions, {});
  Prediction all;
  const auto gather = [&](Matrix Prediction::*part) {
    Matrix& to = all.*part;
    if (rows.empty() || (rows.front().*part).size() == 0) return;
    to.resize((rows.front().*part).rows(), std::ssize(rows));
    for (Index i = 0; i < std::ssize(rows); ++i)
      to.col(i) = (rows[static_cast<std::size_t>(i)].*part).col(0);
  };
  for (const auto part : {&Prediction::mean, &Prediction::variance, &Prediction::noise_variance,
                          &Prediction::degrees_of_freedom, &Prediction::conformal_half_widths})
    gather(part);
  return all;
}

struct Router::Questions {
  Eigen::MatrixXd X;
  Eigen::VectorXd ahead;
  Predictor predictor;
  Prediction result;
  std::vector<Parcel> parcels;
  std::vector<std::vector<Index>> places;  // of each parcel's answers
};

void Router::QuestionsDeleter::operator()(Questions* questions) const { delete questions; }

Router::QuestionsPointer Router::ask(MatrixView X, const Ahead& ahead) {
  State& s = *state_;
  if (!idle()) throw InvalidArgument("ask() needs a router that is idle");
  check_values("x", columns(X), s.model.inputs);
  check_ahead(ahead, X.cols);
  QuestionsPointer asking(new Questions);
  asking->X = columns(X);
  asking->ahead.resize(X.cols);
  for (Index i = 0; i < X.cols; ++i) asking->ahead(i) = ahead.of(i);
  fill_with_prior(s.model, columns(X), asking->result);
  if (s.model.partition.local_gps.empty()) return asking;
  Predictor& predictor = asking->predictor;
  core().ask(s.model, columns(X), predictor);

  struct ForShard {
    std::vector<double> values;
    std::vector<std::uint64_t> local_gps;
    std::vector<std::uint32_t> queries;
    std::vector<Index> places;
    Index last = -1;
    std::uint32_t count = 0;
  };
  std::vector<ForShard> all(s.outboxes.size());
  s.counts.queries += static_cast<std::uint64_t>(X.cols);
  for (Index i = 0; i < X.cols; ++i) {
    std::size_t asked_shards = 0;
    for (Index r = 0; r < predictor.asked; ++r) {
      const Index place = i * predictor.asked + r;
      const Index local_gp = predictor.local_gps[static_cast<std::size_t>(place)];
      ForShard& to = all[s.shard(local_gp)];
      if (to.last != i) {
        const double* x = X.data + i * X.stride;
        to.values.insert(to.values.end(), x, x + X.rows);
        to.last = i;
        ++to.count;
        ++asked_shards;
      }
      to.local_gps.push_back(static_cast<std::uint64_t>(local_gp));
      to.queries.push_back(to.count - 1);
      to.places.push_back(place);
    }
    if (asked_shards > 1) ++s.counts.queries_with_many_shards;
  }
  for (std::size_t shard = 0; shard < all.size(); ++shard) {
    ForShard& to = all[shard];
    if (to.count == 0) continue;
    Writer message;
    message.put(Index{to.count}).put(std::span<const double>(to.values));
    message.put_list(to.local_gps).put_list(to.queries);
    asking->parcels.push_back(
        {shard, s.outboxes[shard].epoch, 0, false, std::make_shared<const Bytes>(message.take())});
    asking->places.push_back(std::move(to.places));
    s.counts.bytes_sent += asking->parcels.back().message->size();
  }
  return asking;
}

const std::vector<Parcel>& Router::parcels(const Questions& questions) const {
  return questions.parcels;
}

std::optional<Prediction> Router::predict(
    Questions& questions, const std::vector<std::span<const std::uint8_t>>& replies) {
  State& s = *state_;
  Predictor& predictor = questions.predictor;
  for (std::size_t i = 0; i < questions.parcels.size(); ++i) {
    Reader from(replies.at(i));
    const auto status = from.get<Status>();
    if (status == Status::failed) throw NumericalError("a shard failed: " + from.get_text());
    if (status != Status::done) return std::nullopt;
    s.counts.bytes_received += replies[i].size();
    const std::vector<Index>& places = questions.places[i];
    Eigen::MatrixXd values(s.model.outputs, std::ssize(places));
    from.get_matrix(values);
    for (std::size_t q = 0; q < places.size(); ++q)
      predictor.means.col(places[q]) = values.col(static_cast<Index>(q));
    for (const Index place : places)
      predictor.candidates[static_cast<std::size_t>(place)].posterior =
          from.get<LocalGp::Posterior>();
    if (s.model.monitor.calibrators.empty()) continue;
    from.get_matrix(values);
    for (std::size_t q = 0; q < places.size(); ++q)
      predictor.local_scales.col(places[q]) = values.col(static_cast<Index>(q));
  }
  if (!questions.parcels.empty())
    core().combine(s.model, questions.X, questions.ahead, predictor, questions.result);
  return std::move(questions.result);
}

void Router::checkpoint(const std::vector<SourcePosition>& positions) {
  State& s = *state_;
  if (!idle()) throw InvalidArgument("a checkpoint needs a router that is idle");
  s.file.checkpoint(positions);
  s.placed = s.placement.shard_of();
  for (State::Outbox& outbox : s.outboxes) outbox.sent.clear();
}

void Router::save(const std::filesystem::path& path) { FileInternals::copy(state_->file, path); }
ModelFile& Router::file() { return state_->file; }

const Options& Router::options() const { return state_->model.options; }
Index Router::n_inputs() const { return state_->model.inputs; }
Index Router::n_outputs() const { return state_->model.outputs; }
std::uint64_t Router::n_observations() const { return state_->model.knowledge.observations; }
Index Router::n_local() const { return state_->model.partition.size(); }
std::size_t Router::n_shards() const { return state_->outboxes.size(); }
const std::vector<std::size_t>& Router::shard_of() const { return state_->placement.shard_of(); }
std::size_t Router::memory_bytes() const {
  const State& s = *state_;
  std::size_t bytes = s.file.model().memory_bytes() + s.sizes.capacity() * sizeof(Index) +
                      2 * s.placed.capacity() * sizeof(std::size_t);
  for (const State::Outbox& outbox : s.outboxes)
    for (const Parcel& parcel : outbox.sent) bytes += parcel.message->capacity();
  return bytes;
}
const Hyperparameters& Router::hyperparameters() const {
  return state_->model.knowledge.theta->values;
}
std::uint64_t Router::theta_version() const { return state_->model.knowledge.theta->version; }
const RouterCounts& Router::counts() const { return state_->counts; }

}  // namespace splitgp
