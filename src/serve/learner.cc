#include "serve/learner.h"

#include <cmath>
#include <new>
#include <shared_mutex>
#include <utility>

#include "serve/protocol/request_error.h"
#include "splitgp/error.h"
#include "store/file_internals.h"
#include "store/table_rows.h"

namespace splitgp::serve {
namespace {

using Clock = std::chrono::steady_clock;

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch())
      .count();
}

bool ages(const ModelFile& file) { return file.model().options().max_age > 0.0; }

// Times do not decrease from observation to observation.
double newest_time_of(const store::Database& database) {
  store::TableReader rows(database, "observation_time", "sequence DESC");
  if (!rows.next()) return kNoTime;
  rows.count();
  return rows.real();
}

// An answer for which there is no memory ends its connection, and not the thread that learns.
template <typename Call>
void quietly(const Call& call) {
  try {
    call();
  } catch (const std::exception&) {
  }
}

}  // namespace

Learner::Learner(LearnerLimits limits, std::unique_ptr<ServedModel> model, ModelMaker& maker,
                 std::vector<Observer*> observers)
    : limits_(limits), maker_(maker), observers_(std::move(observers)) {
  if (model) make_model(std::move(model));
  beat();
}

Learner::~Learner() { stop(); }

ServedModel& Learner::make_model(std::unique_ptr<ServedModel> made) {
  held_ = std::move(made);
  store::Database* const database = FileInternals::database(held_->file);
  if (database == nullptr) throw std::logic_error("a served model needs a file");
  ledger_ = std::make_unique<Ledger>(*database, limits_.ledger);
  for (Observer* observer : observers_) observer->began(held_->file);
  {
    const std::lock_guard<std::mutex> hold(counts_mutex_);
    counts_.waiting = ledger_->n_waiting();
    counts_.ids = ledger_->n_ids();
  }
  if (ages(held_->file)) newest_time_ = newest_time_of(*database);
  current_ = held_.get();
  return *held_;
}

void Learner::start() {
  thread_ = std::thread([this] { run(); });
}

Learner::Taken Learner::submit(std::unique_ptr<Job>& job) {
  if (failing_) return Taken::failing;
  const std::lock_guard<std::mutex> hold(queue_mutex_);
  if (stopping_) return Taken::stopping;
  const std::size_t rows = job->rows(), bytes = job->bytes();
  // One large request is let in if nothing else waits.
  if (!queue_.empty() &&
      (queue_rows_ + rows > limits_.queue_rows || queue_bytes_ + bytes > limits_.queue_bytes)) {
    return Taken::full;
  }
  queue_rows_ += rows;
  queue_bytes_ += bytes;
  queue_.push_back(std::move(job));
  queue_changed_.notify_one();
  return Taken::yes;
}

void Learner::stop() {
  {
    const std::lock_guard<std::mutex> hold(queue_mutex_);
    stopping_ = true;
    queue_changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

bool Learner::read_all(const std::function<void(const ServedModel&)>& use) {
  ServedModel* const model = current_.load();
  if (model == nullptr) return false;
  const std::shared_lock<FairLock> hold(lock_);
  use(*model);
  return true;
}

bool Learner::read(const std::function<void(const ModelView&)>& use) {
  return read_all([&use](const ServedModel& model) {
    use(ModelView{model.file.model(), model.recipe});
  });
}

void Learner::beat() { last_beat_ = milliseconds_now(); }

bool Learner::is_alive(std::chrono::seconds patience) const {
  return milliseconds_now() - last_beat_.load() <
         std::chrono::duration_cast<std::chrono::milliseconds>(patience).count();
}

void Learner::run() {
  Jobs done;
  try {
    work(done);
  } catch (const std::bad_alloc&) {
    give_up("out of memory", done);
  } catch (const std::exception& error) {
    give_up(error.what(), done);
  }
}

// What was answered is in the file, and nothing else will be.
void Learner::give_up(const std::string& why, Jobs& done) {
  failing_ = true;
  {
    const std::lock_guard<std::mutex> hold(queue_mutex_);
    gave_up_ = why;
  }
  try {
    for (auto& job : done) {
      if (job) job->fail(503, "the server is ending; repeat the request, with the same ids");
    }
    refuse_queue();
  } catch (const std::bad_alloc&) {
    // Their connections are closed without an answer.
  }
}

std::string Learner::gave_up() {
  const std::lock_guard<std::mutex> hold(queue_mutex_);
  return gave_up_;
}

void Learner::work(Jobs& done) {
  while (true) {
    beat();
    if (failing_) {
      refuse_queue();
      {
        std::unique_lock<std::mutex> hold(queue_mutex_);
        if (queue_changed_.wait_for(hold, limits_.retry, [this] { return stopping_; })) {
          hold.unlock();
          commit();  // the last chance; what it holds was not acknowledged
          refuse_queue();
          return;
        }
      }
      if (commit()) failing_ = false;
      continue;
    }
    {
      std::unique_lock<std::mutex> hold(queue_mutex_);
      const bool woken = queue_changed_.wait_for(hold, std::chrono::seconds(1),
                                                 [this] { return stopping_ || !queue_.empty(); });
      if (woken && queue_.empty()) {
        hold.unlock();
        for (Observer* observer : observers_) observer->ending();
        commit_unsaved();
        return;
      }
      if (!woken) {
        hold.unlock();
        if (!commit_unsaved()) failing_ = true;
        continue;
      }
    }
    work_batch(done);
    if (commit()) {
      for (auto& job : done) quietly([&] { std::exchange(job, nullptr)->answer(); });
    } else {
      failing_ = true;
      for (auto& job : done) {
        quietly([&] {
          job->fail(503,
                    "the rows could not be written to the disk yet; repeat the request, with "
                    "the same ids if it has any");
        });
      }
    }
    done.clear();
  }
}

bool Learner::take(std::unique_ptr<Job>& job) {
  const std::lock_guard<std::mutex> hold(queue_mutex_);
  if (queue_.empty()) return false;
  job = std::move(queue_.front());
  queue_.pop_front();
  queue_rows_ -= job->rows();
  queue_bytes_ -= job->bytes();
  return true;
}

// Runs what waits; `done` is to be answered after the commit.
void Learner::work_batch(Jobs& done) {
  const Clock::time_point end = Clock::now() + limits_.batch_time;
  std::size_t rows = 0;
  std::unique_ptr<Job> job;
  while (rows < limits_.batch_rows && take(job)) {
    rows += job->rows();
    done.push_back(std::move(job));
    try {
      done.back()->run(*this);
    } catch (const std::bad_alloc&) {
      throw;  // a row may be learned without its id, or the reverse
    } catch (const UnusableModel&) {
      throw;
    } catch (const std::exception&) {
      quietly([&] { done.back()->fail(500, "the request failed inside the server"); });
      done.pop_back();
    }
    beat();
    if (Clock::now() >= end) break;
  }
}

// What was refused without being run has changed nothing.
void Learner::refuse_queue() {
  std::unique_ptr<Job> job;
  while (take(job)) {
    quietly([&] {
      job->fail(503, "earlier rows cannot be written to the disk; repeat the request later");
    });
  }
}

bool Learner::commit_unsaved() {
  for (const Observer* observer : observers_) {
    if (observer->unsaved()) changed_ = true;
  }
  return commit();
}

bool Learner::commit() {
  ServedModel* const model = current_.load();
  if (model == nullptr || !(changed_ || ledger_->changed())) return true;
  const Clock::time_point begin = Clock::now();
  try {
    model->save_state();
    maker_.before_commit(model->file);
    for (Observer* observer : observers_) observer->before_commit(model->file);
    FileInternals::checkpoint(
        model->file, [this] { ledger_->write(); },
        [this](const std::function<void()>& settle) {
          const std::lock_guard<FairLock> hold(lock_);
          settle();
        });
  } catch (const UnusableModel&) {
    throw;  // it will never succeed
  } catch (const std::exception&) {
    const std::lock_guard<std::mutex> hold(counts_mutex_);
    ++counts_.failed_commits;
    counts_.failing = true;
    return false;
  }
  changed_ = false;
  ledger_->written();
  for (Observer* observer : observers_) observer->committed();
  const std::lock_guard<std::mutex> hold(counts_mutex_);
  counts_.failing = false;
  ++counts_.commits;
  counts_.commit_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  counts_.waiting = ledger_->n_waiting();
  counts_.waiting_dropped = ledger_->n_dropped();
  counts_.ids = ledger_->n_ids();
  return true;
}

// A label may come when newer rows have been learned. It is part of the model from now on, so it
// takes its place behind them; but by its own time it may be too old already.
double Learner::time_of_label(double time) const {
  const double oldest = newest_time_ - held_->file.model().options().max_age;
  if (time < oldest) {
    throw InvalidArgument(
        "the label came too late: its row is older than max_age, and would be forgotten at once");
  }
  return time >= newest_time_ || std::isnan(newest_time_) ? time : newest_time_;
}

void Learner::learn(const Eigen::Ref<const Eigen::VectorXd>& x,
                    const Eigen::Ref<const Eigen::VectorXd>& y, double noise_variance, double time,
                    const Prediction* said, LearnOutcome& outcome) {
  const std::lock_guard<FairLock> hold(lock_);
  beat();
  ServedModel& model = *held_;
  const bool interval_known = model.interval_known();
  if (said != nullptr && ages(model.file)) time = time_of_label(time);
  outcome.update =
      model.file.model().predict_then_update(x, y, outcome.before, noise_variance, time);
  changed_ = true;
  newest_time_ = time;
  if (said != nullptr) outcome.before = *said;
  const UpdateResult& update = outcome.update;
  const Prediction& before = outcome.before;
  const Eigen::Index outputs = y.size();
  const Interval interval = before.interval(0.95);
  std::vector<double> sd(static_cast<std::size_t>(outputs)), z(sd.size());
  const std::unique_lock<std::mutex> counting(counts_mutex_);
  for (Eigen::Index o = 0; o < outputs; ++o) {
    const auto at = static_cast<std::size_t>(o);
    sd[at] = std::sqrt(before.variance(o, 0) + before.noise_variance(o, 0));
    z[at] = at < update.innovation.size() ? update.innovation[at].z : 0.0;
    if (!interval_known) continue;
    recent_.add(y(o) >= interval.lower(o, 0) && y(o) <= interval.upper(o, 0), z[at] * z[at]);
  }
  ++(update.rejected ? counts_.rejected : counts_.learned);
  if (update.outlier) ++counts_.outliers;
  if (update.record.new_local_gp) ++counts_.splits;
  if (update.trained) ++counts_.trainings;
  counts_.alarms += update.alarms.size();
  counts_.forgotten += update.record.forgotten.size();
  LearnedRow row;
  row.sequence = update.sequence;
  row.x = {x.data(), static_cast<std::size_t>(x.size())};
  row.y = {y.data(), static_cast<std::size_t>(y.size())};
  row.mean = {before.mean.data(), sd.size()};
  row.sd = sd;
  row.lower = {interval.lower.data(), sd.size()};
  row.upper = {interval.upper.data(), sd.size()};
  row.z = z;
  row.prediction = &before;
  row.interval_known = interval_known;
  row.local_gp = update.record.routed_to;
  row.local_gps = model.file.model().n_local();
  row.split = update.record.new_local_gp.has_value();
  row.trained = update.trained;
  row.outlier = update.outlier;
  row.rejected = update.rejected;
  row.alarms = update.alarms;
  row.time = unix_seconds();
  for (Observer* observer : observers_) observer->learned(row);
}

ForgetResult Learner::forgot(ForgetResult result) {
  changed_ = true;
  for (Observer* observer : observers_) observer->forgot(result);
  const std::lock_guard<std::mutex> hold(counts_mutex_);
  counts_.forgotten += result.forgotten;
  return result;
}

ForgetResult Learner::forget(const std::vector<std::uint64_t>& sequences) {
  const std::lock_guard<FairLock> hold(lock_);
  return forgot(held_->file.model().forget(sequences));
}

ForgetResult Learner::forget_before(std::uint64_t sequence) {
  const std::lock_guard<FairLock> hold(lock_);
  return forgot(held_->file.model().forget_before(sequence));
}

void Learner::exclusively(const std::function<void()>& change) {
  const std::lock_guard<FairLock> hold(lock_);
  change();
}

void Learner::count_rejected(const std::string& reason) {
  changed_ = true;  // the count is written before the answer is given
  for (Observer* observer : observers_) observer->rejected(reason);
  const std::lock_guard<std::mutex> hold(counts_mutex_);
  ++counts_.rejected;
}

void Learner::count_predicted() {
  for (Observer* observer : observers_) observer->predicted();
  const std::lock_guard<std::mutex> hold(counts_mutex_);
  ++counts_.predicted;
}

void Learner::count_early() {
  for (Observer* observer : observers_) observer->early();
  const std::lock_guard<std::mutex> hold(counts_mutex_);
  ++counts_.early;
}

void Learner::count_waiting(int more) {
  for (Observer* observer : observers_) observer->waiting(more);
}

void Learner::count_repeated() {
  const std::lock_guard<std::mutex> hold(counts_mutex_);
  ++counts_.repeated;
}

LearnerCounts Learner::counts() {
  LearnerCounts result;
  {
    const std::lock_guard<std::mutex> hold(counts_mutex_);
    result = counts_;
    result.recent_rows = recent_.rows();
    result.recent_coverage = recent_.coverage();
    result.recent_nis = recent_.mean_square();
  }
  const std::lock_guard<std::mutex> hold(queue_mutex_);
  result.queue_jobs = queue_.size();
  result.queue_rows = queue_rows_;
  return result;
}

}  // namespace splitgp::serve
