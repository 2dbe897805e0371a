#include "rivals/steps.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/model_training.h"

namespace splitgp::rivals {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

TrainResult train_method(ModelState& model, Method& method, bool search) {
  const TrainingSet set = method.training_set(model);
  const TrainResult& result = record(model, splitgp::train(set, training_plan(model, set, search)));
  if (result.adopted) method.refit(model.theta);
  return result;
}

// How many more observations until the schedule may act.
Index until_training(const ModelState& model) {
  if (model.options.training == Training::off) return std::numeric_limits<Index>::max();
  const std::uint64_t next = model.schedule.marks().next;
  // Before the first training core may adapt θ to the scale of the data with any observation.
  if (!model.schedule.ever_trained() || next <= model.next_sequence) return 1;
  return static_cast<Index>(next - model.next_sequence);
}

void train_if_due(ModelState& model, Method& method) {
  if (model.options.training == Training::off) return;
  if (model.schedule.due(model.next_sequence)) {
    train_method(model, method, model.schedule.search_due(model.next_sequence));
    return;
  }
  const std::uint64_t version = model.theta->values.version;
  splitgp::train_if_due(model);  // not due: at most core's own care for a θ that is not trained yet
  if (model.theta->values.version != version) method.refit(model.theta);
}

}  // namespace

void learn(ModelState& model, Method& method, const Eigen::Ref<const MatrixXd>& X,
           const Eigen::Ref<const MatrixXd>& Y, const Eigen::Ref<const VectorXd>& noise_variance) {
  // Trainings fall between the same observations as if they came one by one.
  for (Index first = 0; first < X.cols();) {
    const Index b = std::min(X.cols() - first, until_training(model));
    std::vector<std::uint64_t> sequence(static_cast<std::size_t>(b));
    std::iota(sequence.begin(), sequence.end(), model.next_sequence);
    method.learn({X.middleCols(first, b), Y.middleCols(first, b), noise_variance.segment(first, b),
                  std::move(sequence)});
    for (Index i = first; i < first + b; ++i) {
      model.input_statistics.add(X.col(i));
      model.output_statistics.add(Y.col(i));
    }
    model.next_sequence += static_cast<std::uint64_t>(b);
    first += b;
    train_if_due(model, method);
  }
}

void predict(const ModelState& model, const Method& method, const Eigen::Ref<const MatrixXd>& X,
             Prediction& result) {
  const Hyperparameters& theta = model.theta->values;
  const VectorXd squared_scale = theta.output_scale.array().square();
  result.mean = theta.mean.replicate(1, X.cols());
  result.variance = (theta.signal_variance * squared_scale).replicate(1, X.cols());
  result.noise_variance = (theta.noise_variance * squared_scale).replicate(1, X.cols());
  if (method.n_local() > 0 && X.cols() > 0) method.predict(X, result);
}

TrainResult train_now(ModelState& model, Method& method) {
  return train_method(model, method, true);
}

void set_theta(ModelState& model, Method& method, Hyperparameters theta) {
  adopt(model, std::move(theta));
  method.refit(model.theta);
}

}  // namespace splitgp::rivals
