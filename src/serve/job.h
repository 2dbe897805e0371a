#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/fair_lock.h"
#include "serve/ledger.h"
#include "serve/model.h"
#include "serve/observer.h"
#include "serve/recent.h"

namespace splitgp::serve {

/// One row learned, as a job gets it back.
struct LearnOutcome {
  UpdateResult update;
  Prediction before;
};

/// What a job works with, on the thread that learns.
class Workplace {
 public:
  virtual ~Workplace() = default;
  virtual ServedModel* model() = 0;  ///< Null: none yet.
  virtual ServedModel& make_model(std::unique_ptr<ServedModel> made) = 0;
  virtual ModelMaker& maker() = 0;
  virtual Ledger& ledger() = 0;
  /// Predicts, then learns, holding the model for just that long; tells the observers. Throws
  /// InvalidArgument and NumericalError, and then the model is as it was. With `said`, what counts
  /// as the prediction is that one, made earlier: the row waited for its label, and newer rows may
  /// have been learned meanwhile.
  virtual void learn(const Eigen::Ref<const Eigen::VectorXd>& x,
                     const Eigen::Ref<const Eigen::VectorXd>& y, double noise_variance, double time,
                     const Prediction* said, LearnOutcome& outcome) = 0;
  virtual ForgetResult forget(const std::vector<std::uint64_t>& sequences) = 0;
  virtual ForgetResult forget_before(std::uint64_t sequence) = 0;
  /// While nobody reads the model, its recipe's state included.
  virtual void exclusively(const std::function<void()>& change) = 0;
  virtual void count_rejected(const std::string& reason) = 0;
  virtual void count_predicted() = 0;
  virtual void count_early() = 0;
  virtual void count_waiting(int more) = 0;  ///< For the target that a later row brings.
  virtual void count_repeated() = 0;
  /// Something is to be written that neither the model nor the ledger knows of.
  virtual void mark_changed() = 0;
};

/// Something to be done by the thread that learns, and answered when it is durable.
class Job {
 public:
  virtual ~Job() = default;
  virtual std::size_t rows() const = 0;
  virtual std::size_t bytes() const = 0;  ///< That it holds while it waits.
  /// Must not throw but RequestError, before anything was changed; and whatever else, which is 500.
  virtual void run(Workplace& work) = 0;
  virtual void answer() = 0;  ///< It is durable.
  virtual void fail(int status, const std::string& message) = 0;
};

}  // namespace splitgp::serve
