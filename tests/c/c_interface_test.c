/* Everything in splitgp_c.h, from C99. The argument is a file to write. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "splitgp/splitgp_c.h"

enum { kInputs = 2, kOutputs = 2, kRows = 400 };

static int failures = 0;

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      ++failures;                                                                    \
      fprintf(stderr, "%s:%d: %s; last error: %s\n", __FILE__, __LINE__, #condition, \
              splitgp_last_error());                                                 \
    }                                                                                \
  } while (0)

static double inputs[kRows][kInputs];
static double outputs[kRows][kOutputs];

static void make_observations(void) {
  int i;
  for (i = 0; i < kRows; ++i) {
    inputs[i][0] = sin(0.37 * i) + 0.1 * sin(11.3 * i);
    inputs[i][1] = cos(0.23 * i) + 0.1 * cos(7.7 * i);
    outputs[i][0] = inputs[i][0] * inputs[i][1];
    outputs[i][1] = 100.0 + 10.0 * sin(2.0 * inputs[i][0]);
  }
}

static splitgp_model* make_model(void) {
  const double length_scale[kInputs] = {0.8, 0.8};
  const double output_scale[kOutputs] = {1.0, 10.0};
  const double mean[kOutputs] = {0.0, 100.0};
  splitgp_options* options = NULL;
  splitgp_model* model = NULL;
  CHECK(splitgp_options_create(&options) == SPLITGP_OK);
  CHECK(splitgp_options_set(options, "capacity", "60") == SPLITGP_OK);
  CHECK(splitgp_options_set(options, "kernel", "rbf") == SPLITGP_OK);
  CHECK(splitgp_options_set(options, "training", "off") == SPLITGP_OK);
  CHECK(splitgp_options_set(options, "neighbors", "auto") == SPLITGP_OK);
  CHECK(splitgp_options_set(options, "fixed", "length_scale,mean") == SPLITGP_OK);
  CHECK(splitgp_options_set_hyperparameter(options, "length_scale", length_scale, kInputs) ==
        SPLITGP_OK);
  CHECK(splitgp_options_set_hyperparameter(options, "output_scale", output_scale, kOutputs) ==
        SPLITGP_OK);
  CHECK(splitgp_options_set_hyperparameter(options, "mean", mean, kOutputs) == SPLITGP_OK);
  CHECK(splitgp_create(kInputs, kOutputs, options, &model) == SPLITGP_OK);
  splitgp_options_destroy(options);
  return model;
}

static void test_options(void) {
  const double value = 1.0;
  splitgp_options* options = NULL;
  splitgp_model* model = NULL;
  CHECK(splitgp_options_create(&options) == SPLITGP_OK);
  CHECK(splitgp_options_set(options, "no_such", "1") == SPLITGP_INVALID_ARGUMENT);
  CHECK(strstr(splitgp_last_error(), "no_such") != NULL);
  CHECK(strstr(splitgp_last_error(), "capacity") != NULL);
  CHECK(splitgp_options_set(options, "capacity", "12x") == SPLITGP_INVALID_ARGUMENT);
  CHECK(strstr(splitgp_last_error(), "12x") != NULL);
  CHECK(splitgp_options_set(options, "kernel", "cubic") == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_options_set(options, "taper", "maybe") == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_options_set(options, "fixed", "mean,none") == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_options_set(options, "preset", "other") == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_options_set(options, "preset", "paper") == SPLITGP_OK);
  CHECK(splitgp_options_set(NULL, "capacity", "1") == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_options_set(options, NULL, "1") == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_options_set_hyperparameter(options, "kernel", &value, 1) ==
        SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_options_set_hyperparameter(options, "shape", &value, 0) ==
        SPLITGP_INVALID_ARGUMENT);
  /* What does not fit is found when the model is made. */
  CHECK(splitgp_options_set(options, "threads", "0") == SPLITGP_OK);
  CHECK(splitgp_create(1, 1, options, &model) == SPLITGP_INVALID_ARGUMENT);
  CHECK(model == NULL);
  CHECK(splitgp_create(0, 1, NULL, &model) == SPLITGP_INVALID_ARGUMENT);
  splitgp_options_destroy(options);
  splitgp_options_destroy(NULL);
}

static void test_errors_leave_the_model(splitgp_model* model) {
  double bad[kInputs] = {0.0, 0.0};
  const uint64_t before = splitgp_n_observations(model);
  bad[1] = NAN;
  CHECK(splitgp_update(model, 1, bad, outputs[0], NULL) == SPLITGP_INVALID_ARGUMENT);
  CHECK(strstr(splitgp_last_error(), "x[1]") != NULL);
  CHECK(splitgp_update(model, 1, NULL, outputs[0], NULL) == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_update(NULL, 1, inputs[0], outputs[0], NULL) == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_n_observations(model) == before);
  CHECK(splitgp_predict(model, 1, bad, NULL, NULL, NULL) == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_n_inputs(NULL) == 0 && splitgp_n_observations(NULL) == 0);
}

static void test_predictions(const splitgp_model* model) {
  enum { kQueries = 5 };
  const double h = 1e-5;
  double mean[kQueries][kOutputs], variance[kQueries][kOutputs], noise[kQueries][kOutputs];
  double same_mean[kQueries][kOutputs], same_variance[kQueries][kOutputs];
  double mean_gradient[kQueries][kOutputs][kInputs];
  double variance_gradient[kQueries][kOutputs][kInputs];
  double noise_gradient[kQueries][kOutputs][kInputs];
  int i, o, k;
  CHECK(splitgp_predict(model, kQueries, inputs[10], mean[0], variance[0], noise[0]) == SPLITGP_OK);
  CHECK(splitgp_predict_gradient(model, kQueries, inputs[10], same_mean[0], same_variance[0], NULL,
                                 mean_gradient[0][0], variance_gradient[0][0]) == SPLITGP_OK);
  CHECK(splitgp_predict_all_gradients(model, kQueries, inputs[10], NULL, NULL, NULL, NULL, NULL,
                                      noise_gradient[0][0]) == SPLITGP_OK);
  CHECK(memcmp(mean, same_mean, sizeof mean) == 0);
  CHECK(memcmp(variance, same_variance, sizeof variance) == 0);
  for (i = 0; i < kQueries; ++i) {
    for (o = 0; o < kOutputs; ++o) {
      const double scale = o == 0 ? 1.0 : 10.0;
      CHECK(fabs(mean[i][o] - outputs[10 + i][o]) < 0.2 * scale);
      CHECK(variance[i][o] > 0.0 && noise[i][o] > 0.0);
      for (k = 0; k < kInputs; ++k) {
        double x[2][kInputs], m[2][kOutputs], v[2][kOutputs], e[2][kOutputs];
        memcpy(x[0], inputs[10 + i], sizeof x[0]);
        memcpy(x[1], inputs[10 + i], sizeof x[1]);
        x[0][k] -= h;
        x[1][k] += h;
        CHECK(splitgp_predict(model, 2, x[0], m[0], v[0], e[0]) == SPLITGP_OK);
        CHECK(fabs((m[1][o] - m[0][o]) / (2 * h) - mean_gradient[i][o][k]) < 1e-5 * scale);
        CHECK(fabs((v[1][o] - v[0][o]) / (2 * h) - variance_gradient[i][o][k]) <
              1e-5 * scale * scale);
        CHECK(fabs((e[1][o] - e[0][o]) / (2 * h) - noise_gradient[i][o][k]) < 1e-5 * scale * scale);
      }
    }
  }
}

static void test_files(const splitgp_model* model, const char* path) {
  splitgp_model* loaded = NULL;
  double mean[2][kOutputs];
  int o;
  remove(path);
  CHECK(splitgp_load(path, &loaded) == SPLITGP_FILE_ERROR);
  CHECK(loaded == NULL);
  CHECK(splitgp_save(model, path) == SPLITGP_OK);
  CHECK(splitgp_save(model, path) == SPLITGP_FILE_ERROR); /* it exists */
  CHECK(splitgp_load(path, &loaded) == SPLITGP_OK);
  CHECK(splitgp_n_observations(loaded) == splitgp_n_observations(model));
  CHECK(splitgp_wake(loaded) == SPLITGP_OK);
  CHECK(splitgp_set_threads(loaded, 2) == SPLITGP_OK);
  CHECK(splitgp_set_threads(loaded, 0) == SPLITGP_INVALID_ARGUMENT);
  CHECK(splitgp_predict(model, 1, inputs[7], mean[0], NULL, NULL) == SPLITGP_OK);
  CHECK(splitgp_predict(loaded, 1, inputs[7], mean[1], NULL, NULL) == SPLITGP_OK);
  for (o = 0; o < kOutputs; ++o) CHECK(fabs(mean[0][o] - mean[1][o]) < 1e-9 * fabs(mean[0][o]));
  splitgp_destroy(loaded);
  remove(path);
}

static void test_control_loop(void) {
  splitgp_options* options;
  splitgp_model* model;
  double mean[kOutputs], slopes[kOutputs][kInputs];
  int lap, i;
  CHECK(splitgp_options_create(&options) == SPLITGP_OK);
  CHECK(splitgp_options_set(options, "capacity", "40") == SPLITGP_OK);
  CHECK(splitgp_options_set(options, "training", "background") == SPLITGP_OK);
  CHECK(splitgp_create(kInputs, kOutputs, options, &model) == SPLITGP_OK);
  CHECK(splitgp_reserve(model) == SPLITGP_INVALID_ARGUMENT); /* it has no bound */
  CHECK(strstr(splitgp_last_error(), "max_observations") != NULL);
  splitgp_destroy(model);
  CHECK(splitgp_options_set(options, "max_observations", "100") == SPLITGP_OK);
  CHECK(splitgp_create(kInputs, kOutputs, options, &model) == SPLITGP_OK);
  splitgp_options_destroy(options);
  CHECK(splitgp_bound_latency(model) == SPLITGP_OK);
  for (lap = 0; lap < 3; ++lap) {
    for (i = 0; i < kRows; ++i) {
      CHECK(splitgp_predict_gradient(model, 1, inputs[i], mean, NULL, NULL, slopes[0], NULL) ==
            SPLITGP_OK);
      CHECK(splitgp_update(model, 1, inputs[i], outputs[i], NULL) == SPLITGP_OK);
    }
  }
  CHECK(splitgp_n_observations(model) <= 103);
  CHECK(splitgp_finish_training(model) == SPLITGP_OK);
  splitgp_destroy(model);
}

int main(int argc, char** argv) {
  splitgp_model* model;
  splitgp_model* batch;
  double noise_variance[kRows];
  double mean[2][kOutputs];
  int i, adopted = -1;
  if (argc != 2) return 2;
  CHECK(strcmp(splitgp_last_error(), "") == 0);
  CHECK(strlen(splitgp_version()) >= 5);
  make_observations();
  test_options();
  test_control_loop();

  model = make_model();
  batch = make_model();
  for (i = 0; i < kRows; ++i) {
    noise_variance[i] = 0.001 * (i % 3);
    CHECK(splitgp_update(model, 1, inputs[i], outputs[i], &noise_variance[i]) == SPLITGP_OK);
  }
  CHECK(splitgp_update(batch, kRows, inputs[0], outputs[0], noise_variance) == SPLITGP_OK);
  CHECK(splitgp_update(batch, 0, NULL, NULL, NULL) == SPLITGP_OK);
  CHECK(splitgp_predict(model, 1, inputs[3], mean[0], NULL, NULL) == SPLITGP_OK);
  CHECK(splitgp_predict(batch, 1, inputs[3], mean[1], NULL, NULL) == SPLITGP_OK);
  CHECK(memcmp(mean[0], mean[1], sizeof mean[0]) == 0);
  CHECK(splitgp_n_inputs(model) == kInputs && splitgp_n_outputs(model) == kOutputs);
  CHECK(splitgp_n_observations(model) == kRows && splitgp_n_local(model) > 5);

  test_errors_leave_the_model(model);
  test_predictions(model);
  test_files(model, argv[1]);
  CHECK(splitgp_finish_training(model) == SPLITGP_OK);
  CHECK(splitgp_train(batch, &adopted) == SPLITGP_OK);
  CHECK(adopted == 0 || adopted == 1);
  splitgp_destroy(model);
  splitgp_destroy(batch);
  splitgp_destroy(NULL);
  return failures == 0 ? 0 : 1;
}
