#include "core/model/trainer.h"

#include <exception>
#include <optional>
#include <utility>

#include "core/base/factor_memory.h"
#include "core/model/model_state.h"
#include "core/model/model_training.h"
#include "core/model/training_copy.h"
#include "core/train/train.h"
#include "core/train/training_thread.h"

namespace splitgp {

using Eigen::Index;

namespace {

// θ's that some local GP may still have: trainings come far more slowly than renewals.
constexpr std::size_t kRetired = 64;

}  // namespace

struct Trainer::Beside {
  void train();
  void try_to_train();

  Due due = Due::nothing;
  TrainingSet set;
  TrainingPlan plan;
  std::optional<TrainingCopy> copy;  // of what the set is to be drawn from
  bool copying = false;
  TrainingOutcome outcome;
  std::vector<ThetaPointer> retired;        // the updating thread adds to it …
  std::vector<ThetaPointer> being_retired;  // … and hands it over with a training
  TrainingThread thread{[this] { try_to_train(); }};
};

void Trainer::Beside::train() {
  std::erase_if(being_retired, [](const ThetaPointer& theta) { return theta.use_count() == 1; });
  outcome.due = due;
  outcome.theta = nullptr;
  if (copy) {
    const StreamKnowledge& knowledge = copy->knowledge();
    if (due == Due::scale) {
      StreamKnowledge in_scale = knowledge;
      follow_scale(in_scale, copy->options());
      outcome.theta = std::make_shared<Theta>(in_scale.theta->values, 0);
      return;
    }
    set = training_set_for(due, knowledge, copy->partition(), copy->options());
    plan = plan_for(due, knowledge, copy->options(), set);
  }
  outcome.result = splitgp::train(set, plan);
  if (outcome.result.adopted) {
    outcome.theta = std::make_shared<Theta>(outcome.result.theta, 0);
  } else {
    // The updating thread records the present θ in its place, without allocating.
    outcome.result.theta = plan.current;
  }
  set = {};
  factor_memory::touch_ahead();
}

// Without memory for it θ stays as it is.
void Trainer::Beside::try_to_train() {
  try {
    train();
  } catch (const std::exception&) {
    outcome.due = Due::nothing;
  }
}

Trainer::Trainer() = default;
Trainer::Trainer(const Trainer&) : Trainer() {}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

void Trainer::reserve(const ModelState& model, Index local_gps) {
  beside_ = std::make_unique<Beside>();
  beside_->copy.emplace(model, local_gps);
  beside_->retired.reserve(kRetired);
  beside_->being_retired.reserve(kRetired);
}

bool Trainer::is_reserved() const { return beside_ && beside_->copy; }
bool Trainer::is_gathering() const { return beside_ && beside_->copying; }
bool Trainer::is_idle() const {
  return !beside_ || (!beside_->copying && beside_->thread.is_idle());
}

void Trainer::begin(Due due, const ModelState& model) {
  if (!beside_) beside_ = std::make_unique<Beside>();
  beside_->due = due;
  if (beside_->copy) {
    beside_->copy->begin(model.knowledge);
    beside_->copying = true;
    return;
  }
  beside_->set = training_set_for(due, model.knowledge, model.partition, model.options);
  beside_->plan = plan_for(due, model.knowledge, model.options, beside_->set);
  beside_->thread.start();
}

void Trainer::gather_next(const ModelState& model) {
  if (beside_->due != Due::scale && beside_->copy->copy_next(model.partition)) return;
  // The θ's that were adopted since are the other thread's to free.
  auto& retired = beside_->retired;
  auto& being_retired = beside_->being_retired;
  while (!retired.empty() && being_retired.size() < being_retired.capacity()) {
    being_retired.push_back(std::move(retired.back()));
    retired.pop_back();
  }
  beside_->copying = false;
  beside_->thread.start();
}

TrainingOutcome* Trainer::take() {
  return beside_ && beside_->thread.take() ? &beside_->outcome : nullptr;
}

void Trainer::wait() const {
  if (beside_) beside_->thread.wait();
}

// Without reserved memory, whoever is last to have it frees it.
void Trainer::retire(const ThetaPointer& theta) {
  auto& retired = beside_->retired;
  if (retired.size() < retired.capacity()) retired.push_back(theta);
}

std::size_t Trainer::memory_bytes() const {
  return is_reserved() ? sizeof(*beside_) + beside_->copy->memory_bytes() : 0;
}

}  // namespace splitgp
