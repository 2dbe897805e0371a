// The C interface: arguments in, statuses out.
#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "c/option_text.h"
#include "c/status.h"
#include "splitgp/error.h"
#include "splitgp/model_file.h"
#include "splitgp/splitgp_c.h"
#include "splitgp/splitting_gp.h"

struct splitgp_options {
  splitgp::Options values;
};

struct splitgp_model {
  splitgp::SplittingGp gp;
  splitgp::UpdateResult result{};  // its memory is reused
};

namespace {

using Eigen::Index;
using splitgp::c::guarded;
using splitgp::c::require;
using Rows = Eigen::Map<const Eigen::MatrixXd>;  // n rows in C are n columns here

Index size_of(const char* name, std::size_t size) {
  constexpr std::size_t kLargest = std::size_t{1} << 40;
  if (size > kLargest) throw splitgp::InvalidArgument(std::string(name) + " is too large");
  return static_cast<Index>(size);
}

Rows rows(const char* name, const double* values, Index n, Index width) {
  if (n > 0) require(values, name);
  return {values, width, n};
}

void copy(const splitgp::Matrix& from, double* to) {
  if (to != nullptr) std::copy_n(from.data(), from.size(), to);
}

void copy_prediction(const splitgp::Prediction& prediction, double* mean, double* variance,
                     double* noise_variance) {
  copy(prediction.mean, mean);
  copy(prediction.variance, variance);
  copy(prediction.noise_variance, noise_variance);
}

splitgp::Prediction& thread_prediction() {
  static thread_local splitgp::Prediction prediction;
  return prediction;
}

splitgp::PredictionGradient& thread_gradient() {
  static thread_local splitgp::PredictionGradient prediction;
  return prediction;
}

void predict_gradient(const splitgp_model& model, const Rows& X, const splitgp::Ahead& ahead,
                      double* mean, double* variance, double* noise_variance, double* mean_gradient,
                      double* variance_gradient, double* noise_variance_gradient) {
  splitgp::PredictionGradient& prediction = thread_gradient();
  model.gp.predict_gradient(X, prediction, ahead);
  copy_prediction(prediction, mean, variance, noise_variance);
  copy(prediction.mean_gradient, mean_gradient);
  copy(prediction.variance_gradient, variance_gradient);
  copy(prediction.noise_variance_gradient, noise_variance_gradient);
}

}  // namespace

const char* splitgp_version(void) { return SPLITGP_VERSION; }

const char* splitgp_last_error(void) { return splitgp::c::last_error().c_str(); }

splitgp_status splitgp_options_create(splitgp_options** options) {
  return guarded([&] {
    require(options, "options");
    *options = new splitgp_options;
  });
}

splitgp_status splitgp_options_set(splitgp_options* options, const char* name, const char* value) {
  return guarded([&] {
    require(options, "options");
    require(name, "name");
    require(value, "value");
    splitgp::Options changed = options->values;
    splitgp::c::set_option(changed, name, value);
    options->values = std::move(changed);
  });
}

splitgp_status splitgp_options_set_hyperparameter(splitgp_options* options, const char* name,
                                                  const double* values, size_t count) {
  return guarded([&] {
    require(options, "options");
    require(name, "name");
    if (count > 0) require(values, "values");
    splitgp::Hyperparameters theta =
        options->values.hyperparameters.value_or(splitgp::Hyperparameters());
    splitgp::c::set_hyperparameter(theta, name, {values, count});
    options->values.hyperparameters = std::move(theta);
  });
}

void splitgp_options_destroy(splitgp_options* options) { delete options; }

splitgp_status splitgp_create(size_t inputs, size_t outputs, const splitgp_options* options,
                              splitgp_model** model) {
  return guarded([&] {
    require(model, "model");
    *model = new splitgp_model{
        splitgp::SplittingGp(size_of("inputs", inputs), size_of("outputs", outputs),
                             options == nullptr ? splitgp::Options() : options->values)};
  });
}

splitgp_status splitgp_load(const char* path, splitgp_model** model) {
  return guarded([&] {
    require(path, "path");
    require(model, "model");
    *model = new splitgp_model{std::move(splitgp::load(path).model)};
  });
}

splitgp_status splitgp_save(const splitgp_model* model, const char* path) {
  return guarded([&] {
    require(model, "model");
    require(path, "path");
    splitgp::ModelFile::create(path, model->gp).checkpoint();
  });
}

void splitgp_destroy(splitgp_model* model) { delete model; }

splitgp_status splitgp_update(splitgp_model* model, size_t n, const double* x, const double* y,
                              const double* noise_variance) {
  return guarded([&] {
    require(model, "model");
    const Index count = size_of("n", n);
    const Rows X = rows("x", x, count, model->gp.n_inputs());
    const Rows Y = rows("y", y, count, model->gp.n_outputs());
    if (count == 1) {
      model->gp.update(X.col(0), Y.col(0), model->result,
                       noise_variance == nullptr ? 0.0 : *noise_variance);
    } else if (noise_variance == nullptr) {
      model->gp.update_batch(X, Y);
    } else {
      model->gp.update_batch(X, Y, Eigen::Map<const Eigen::VectorXd>(noise_variance, count));
    }
  });
}

splitgp_status splitgp_predict(const splitgp_model* model, size_t n, const double* x, double* mean,
                               double* variance, double* noise_variance) {
  return guarded([&] {
    require(model, "model");
    splitgp::Prediction& prediction = thread_prediction();
    model->gp.predict(rows("x", x, size_of("n", n), model->gp.n_inputs()), prediction);
    copy_prediction(prediction, mean, variance, noise_variance);
  });
}

splitgp_status splitgp_predict_gradient(const splitgp_model* model, size_t n, const double* x,
                                        double* mean, double* variance, double* noise_variance,
                                        double* mean_gradient, double* variance_gradient) {
  return splitgp_predict_all_gradients(model, n, x, mean, variance, noise_variance, mean_gradient,
                                       variance_gradient, nullptr);
}

splitgp_status splitgp_predict_all_gradients(const splitgp_model* model, size_t n, const double* x,
                                             double* mean, double* variance, double* noise_variance,
                                             double* mean_gradient, double* variance_gradient,
                                             double* noise_variance_gradient) {
  return guarded([&] {
    require(model, "model");
    const Rows X = rows("x", x, size_of("n", n), model->gp.n_inputs());
    predict_gradient(*model, X, {}, mean, variance, noise_variance, mean_gradient,
                     variance_gradient, noise_variance_gradient);
  });
}

splitgp_status splitgp_predict_ahead(const splitgp_model* model, size_t n, const double* x,
                                     const double* ahead, double* mean, double* variance,
                                     double* noise_variance, double* mean_gradient,
                                     double* variance_gradient, double* noise_variance_gradient) {
  return guarded([&] {
    require(model, "model");
    const Rows X = rows("x", x, size_of("n", n), model->gp.n_inputs());
    if (n > 0) require(ahead, "ahead");
    const splitgp::Ahead rows_ahead(ahead, X.cols());
    if (mean_gradient != nullptr || variance_gradient != nullptr ||
        noise_variance_gradient != nullptr) {
      predict_gradient(*model, X, rows_ahead, mean, variance, noise_variance, mean_gradient,
                       variance_gradient, noise_variance_gradient);
    } else {
      splitgp::Prediction& prediction = thread_prediction();
      model->gp.predict(X, prediction, rows_ahead);
      copy_prediction(prediction, mean, variance, noise_variance);
    }
  });
}

splitgp_status splitgp_train(splitgp_model* model, int* adopted) {
  return guarded([&] {
    require(model, "model");
    const splitgp::TrainResult result = model->gp.train();
    if (result.failed) throw std::bad_alloc();
    if (adopted != nullptr) *adopted = result.adopted ? 1 : 0;
  });
}

splitgp_status splitgp_finish_training(splitgp_model* model) {
  return guarded([&] {
    require(model, "model");
    model->gp.finish_training();
  });
}

splitgp_status splitgp_wake(splitgp_model* model) {
  return guarded([&] {
    require(model, "model");
    model->gp.wake();
  });
}

splitgp_status splitgp_reserve(splitgp_model* model) { return splitgp_bound_latency(model); }

splitgp_status splitgp_bound_latency(splitgp_model* model) {
  return guarded([&] {
    require(model, "model");
    model->gp.bound_latency();
    // What this thread's first calls would otherwise take.
    const Eigen::VectorXd x = Eigen::VectorXd::Zero(model->gp.n_inputs());
    model->gp.predict(x, thread_prediction());
    model->gp.predict_gradient(x, thread_gradient());
    const auto owned = static_cast<std::size_t>(model->gp.options().split_limit);
    model->result.record.leaving.reserve(owned + 1);
    model->result.alarms.reserve(1);
    model->result.innovation.resize(static_cast<std::size_t>(model->gp.n_outputs()));
    splitgp::c::last_error().reserve(256);
  });
}

splitgp_status splitgp_set_threads(splitgp_model* model, int threads) {
  return guarded([&] {
    require(model, "model");
    model->gp.set_threads(threads);
  });
}

size_t splitgp_n_inputs(const splitgp_model* model) {
  return model == nullptr ? 0 : static_cast<size_t>(model->gp.n_inputs());
}
size_t splitgp_n_outputs(const splitgp_model* model) {
  return model == nullptr ? 0 : static_cast<size_t>(model->gp.n_outputs());
}
size_t splitgp_n_local(const splitgp_model* model) {
  return model == nullptr ? 0 : static_cast<size_t>(model->gp.n_local());
}
uint64_t splitgp_n_observations(const splitgp_model* model) {
  return model == nullptr ? 0 : model->gp.n_observations();
}
