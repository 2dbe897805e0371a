#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serve/job.h"
#include "serve/page_source.h"

namespace splitgp::serve {

struct LearnerLimits {
  std::size_t queue_rows = 50'000;  ///< That wait to be learned; more are 429.
  std::size_t queue_bytes = std::size_t{128} * 1024 * 1024;
  std::size_t batch_rows = 4096;             ///< In one transaction, but for a larger request.
  std::chrono::milliseconds batch_time{20};  ///< Learning, before what was learned is committed.
  std::chrono::milliseconds retry{500};      ///< After a commit that failed.
  LedgerLimits ledger;
};

/// What the thread that learns has counted, for the metrics.
struct LearnerCounts {
  std::uint64_t learned = 0, rejected = 0, predicted = 0, early = 0, repeated = 0, forgotten = 0;
  std::uint64_t outliers = 0, alarms = 0, splits = 0, trainings = 0;
  std::uint64_t commits = 0, failed_commits = 0;
  double commit_seconds = 0.0;
  std::uint64_t waiting = 0, waiting_dropped = 0, ids = 0;
  std::size_t queue_jobs = 0, queue_rows = 0;
  bool failing = false;
  std::size_t recent_rows = 0;
  double recent_coverage = 0.0, recent_nis = 0.0;
};

/// The one thread that changes the model. It takes what waits, learns row after row, holding the
/// model for one update at a time, commits all of it in one transaction, and then answers.
///
/// If a commit fails, nothing is acknowledged: all that it held is answered with 503, and so is all
/// that comes, until the same rows could be committed. The model in memory is ahead of the file by
/// no more than that.
///
/// If nobody knows any more what the model holds (UnusableModel, std::bad_alloc), or its file is
/// gone, it gives up: nothing is committed, what waits and what comes is answered with 503, and the
/// program should end.
class Learner : private Workplace {
 public:
  /// `model` may be null: then `maker` makes one when rows come. Observers, which are told in their
  /// order, and the maker must outlive it.
  Learner(LearnerLimits limits, std::unique_ptr<ServedModel> model, ModelMaker& maker,
          std::vector<Observer*> observers);
  ~Learner() override;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  void start();
  enum class Taken { yes, full, stopping, failing };
  /// If it is not taken, the job is not touched.
  Taken submit(std::unique_ptr<Job>& job);
  /// Learns and commits what has been taken, then ends. Everything is answered.
  void stop();

  /// Calls `use` while nothing changes the model; false if there is none.
  bool read(const std::function<void(const ModelView&)>& use);
  /// The same with all there is.
  bool read_all(const std::function<void(const ServedModel&)>& use);
  /// Why it gave up; empty if it did not.
  std::string gave_up();
  bool has_model() const { return current_.load() != nullptr; }
  LearnerCounts counts();
  /// When it last did something or had nothing to do: a watchdog's question.
  bool is_alive(std::chrono::seconds patience) const;

 private:
  ServedModel* model() override { return current_.load(); }
  ServedModel& make_model(std::unique_ptr<ServedModel> made) override;
  ModelMaker& maker() override { return maker_; }
  Ledger& ledger() override { return *ledger_; }
  void learn(const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::Ref<const Eigen::VectorXd>& y,
             double noise_variance, double time, const Prediction* said,
             LearnOutcome& outcome) override;
  ForgetResult forget(const std::vector<std::uint64_t>& sequences) override;
  ForgetResult forget_before(std::uint64_t sequence) override;
  void exclusively(const std::function<void()>& change) override;
  void count_rejected(const std::string& reason) override;
  void count_predicted() override;
  void count_early() override;
  void count_waiting(int more) override;
  void count_repeated() override;
  void mark_changed() override { changed_ = true; }

  using Jobs = std::vector<std::unique_ptr<Job>>;
  void run();
  void work(Jobs& done);
  void work_batch(Jobs& done);
  void give_up(const std::string& why, Jobs& done);
  double time_of_label(double time) const;
  bool take(std::unique_ptr<Job>& job);
  bool commit();
  bool commit_unsaved();
  void refuse_queue();
  ForgetResult forgot(ForgetResult result);
  void beat();

  const LearnerLimits limits_;
  ModelMaker& maker_;
  const std::vector<Observer*> observers_;
  FairLock lock_;                      // of the model
  std::unique_ptr<ServedModel> held_;  // written once
  std::atomic<ServedModel*> current_{nullptr};
  std::unique_ptr<Ledger> ledger_;  // of the thread that learns
  bool changed_ = false;            // since the last commit
  double newest_time_ = kNoTime;    // of the rows learned, if they age

  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<std::unique_ptr<Job>> queue_;
  std::size_t queue_rows_ = 0, queue_bytes_ = 0;
  bool stopping_ = false;
  std::string gave_up_;
  std::atomic<bool> failing_{false};
  std::thread thread_;
  std::atomic<std::int64_t> last_beat_{0};

  std::mutex counts_mutex_;
  LearnerCounts counts_;
  Recent recent_;
};

}  // namespace splitgp::serve
