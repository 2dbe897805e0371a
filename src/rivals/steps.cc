#include "rivals/steps.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/train/theta_training.h"

namespace splitgp::rivals {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

TrainResult train_method(RivalState& model, Method& method, bool search) {
  const TrainingSet set = method.training_set(model);
  const TrainResult& result =
      record(model.knowledge,
             splitgp::train(set, training_plan(model.knowledge, model.options, set, search)));
  if (result.adopted) method.refit(model.knowledge.theta);
  return result;
}

// How many more observations until a training may be due.
Index until_training(const RivalState& model) {
  if (model.options.training == Training::off) return std::numeric_limits<Index>::max();
  const std::uint64_t next = model.knowledge.schedule.marks().next;
  // Before the first training, any observation may change θ to follow the scale of the data.
  if (!model.knowledge.schedule.ever_trained() || next <= model.knowledge.observations) return 1;
  return static_cast<Index>(next - model.knowledge.observations);
}

void train_if_due(RivalState& model, Method& method) {
  if (model.options.training == Training::off) return;
  if (model.knowledge.schedule.due(model.knowledge.observations)) {
    train_method(model, method, model.knowledge.schedule.search_due(model.knowledge.observations));
    return;
  }
  if (!scale_due(model.knowledge)) return;
  follow_scale(model.knowledge, model.options);
  method.refit(model.knowledge.theta);
}

}  // namespace

void learn(RivalState& model, Method& method, const Eigen::Ref<const MatrixXd>& X,
           const Eigen::Ref<const MatrixXd>& Y, const Eigen::Ref<const VectorXd>& noise_variance) {
  // Trainings happen after the same observations as if they came one by one.
  for (Index first = 0; first < X.cols();) {
    const Index b = std::min(X.cols() - first, until_training(model));
    std::vector<std::uint64_t> sequence(static_cast<std::size_t>(b));
    std::iota(sequence.begin(), sequence.end(), model.knowledge.observations);
    method.learn({X.middleCols(first, b), Y.middleCols(first, b), noise_variance.segment(first, b),
                  std::move(sequence)});
    for (Index i = first; i < first + b; ++i) {
      model.knowledge.input_statistics.add(X.col(i));
      model.knowledge.output_statistics.add(Y.col(i));
    }
    model.knowledge.observations += static_cast<std::uint64_t>(b);
    first += b;
    train_if_due(model, method);
  }
}

void predict(const RivalState& model, const Method& method, const Eigen::Ref<const MatrixXd>& X,
             Prediction& result) {
  const Hyperparameters& theta = model.knowledge.theta->values;
  const VectorXd squared_scale = theta.output_scale.array().square();
  result.mean = theta.mean.replicate(1, X.cols());
  result.variance = (theta.signal_variance * squared_scale).replicate(1, X.cols());
  result.noise_variance = (theta.noise_variance * squared_scale).replicate(1, X.cols());
  if (method.n_local() > 0 && X.cols() > 0) method.predict(X, result);
}

TrainResult train_now(RivalState& model, Method& method) {
  return train_method(model, method, true);
}

void set_theta(RivalState& model, Method& method, Hyperparameters theta) {
  model.knowledge.adopt(std::move(theta));
  method.refit(model.knowledge.theta);
}

}  // namespace splitgp::rivals
