/*
 * splitgp for C, and for whatever can call C: streaming Gaussian-process regression.
 *
 * The library is splitgp_c (pkg-config splitgp_c). Within one soname functions are only added.
 *
 * Numbers are doubles in row-major order, in buffers that the caller owns: n rows of d inputs,
 * n rows of p outputs. They must be finite and at most 1e150 in magnitude.
 *
 * Errors: a function that can fail returns a splitgp_status. After one that is not SPLITGP_OK what
 * results point to is unspecified, and splitgp_last_error() says what was wrong. The model is as it
 * was, with one exception. A call with a splitgp_model* that is not const may run out of memory
 * when it has changed the model by half; it returns SPLITGP_OUT_OF_MEMORY, and from then on every
 * call with this model that returns a status returns SPLITGP_UNUSABLE and does nothing,
 * splitgp_save too: no half-changed model is ever asked or written. Destroy it, and load the last
 * one that was saved. No exception ever leaves the library.
 *
 * Threads: functions that take a const splitgp_model* may run at the same time, on the same model
 * too. Any other call needs the model to itself; the caller must see to that. Different models
 * never disturb each other.
 *
 * Memory: splitgp_predict and splitgp_predict_gradient allocate nothing once a thread has called
 * them with as many rows before, unless the option threads is above 1, and but for what a local GP
 * keeps when it is first asked for a gradient; nor does splitgp_update with one row, unless a local
 * GP is split or grows, or a training ends. After splitgp_bound_latency none of these exceptions is
 * left.
 */
#ifndef SPLITGP_SPLITGP_H
#define SPLITGP_SPLITGP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPLITGP_C_VERSION 0 /* the soname's number */

typedef struct splitgp_model splitgp_model;
typedef struct splitgp_options splitgp_options;

typedef enum splitgp_status {
  SPLITGP_OK = 0,
  SPLITGP_INVALID_ARGUMENT = 1, /* the caller's fault: the message names field, row and value */
  SPLITGP_NUMERICAL_ERROR = 2,  /* a kernel matrix that no jitter could mend */
  SPLITGP_FILE_ERROR = 3,       /* a model file cannot be read or written */
  SPLITGP_OUT_OF_MEMORY = 4,
  SPLITGP_INTERNAL_ERROR = 5, /* should not happen */
  SPLITGP_UNUSABLE = 6        /* an earlier call with this model failed halfway */
} splitgp_status;

/* The library's version, such as "0.1.0". */
const char* splitgp_version(void);

/* What the last failed call of this thread complained about; "" before the first. Valid until this
 * thread's next call that fails. */
const char* splitgp_last_error(void);

/* Options, by the names in docs/options.md. Values are texts: "100",
 * "true", "matern52", and "auto" for what may follow from the rest. Besides, "preset" may be
 * "paper", and "fixed" lists hyperparameters, separated by commas, that training must leave alone.
 */
splitgp_status splitgp_options_create(splitgp_options** options);
splitgp_status splitgp_options_set(splitgp_options* options, const char* name, const char* value);

/* A hyperparameter to start from: "length_scale" (one for each input), "signal_variance",
 * "noise_variance", "shape", "mean" and "output_scale" (one for each output), "trend_slope",
 * "trend_origin", "trend_range", "trend_reach". The kernel is an option. */
splitgp_status splitgp_options_set_hyperparameter(splitgp_options* options, const char* name,
                                                  const double* values, size_t count);
void splitgp_options_destroy(splitgp_options* options); /* NULL is allowed */

/* A model without observations. `options` may be NULL for the defaults, and is not needed later. */
splitgp_status splitgp_create(size_t inputs, size_t outputs, const splitgp_options* options,
                              splitgp_model** model);

/* Reads a model file that splitgp_save, Python or the command wrote. */
splitgp_status splitgp_load(const char* path, splitgp_model** model);

/* Writes the model to a new file. A file of that name is an error: it is never replaced. */
splitgp_status splitgp_save(const splitgp_model* model, const char* path);

void splitgp_destroy(splitgp_model* model); /* NULL is allowed */

/* Learns n observations in order. noise_variance is NULL, or has each observation's own known
 * noise. A bad value anywhere rejects all of them. */
splitgp_status splitgp_update(splitgp_model* model, size_t n, const double* x, const double* y,
                              const double* noise_variance);

/* Predicts at n inputs: the mean, the variance of the function, and what the noise of one more
 * observation adds to it; n * p numbers each. Any of the results may be NULL. */
splitgp_status splitgp_predict(const splitgp_model* model, size_t n, const double* x, double* mean,
                               double* variance, double* noise_variance);

/* The same for the row of the stream that comes ahead[i] rows from now: 1 is the next row, which
 * splitgp_predict answers for, and a NaN stands for an unknown time. With gradients, of which any
 * may be NULL, as splitgp_predict_all_gradients. */
splitgp_status splitgp_predict_ahead(const splitgp_model* model, size_t n, const double* x,
                                     const double* ahead, double* mean, double* variance,
                                     double* noise_variance, double* mean_gradient,
                                     double* variance_gradient, double* noise_variance_gradient);

/* The same bits as splitgp_predict, and the derivatives of mean and variance by the inputs: n * p *
 * d numbers each, the inputs varying fastest. */
splitgp_status splitgp_predict_gradient(const splitgp_model* model, size_t n, const double* x,
                                        double* mean, double* variance, double* noise_variance,
                                        double* mean_gradient, double* variance_gradient);

/* The same, and the derivatives of noise_variance, which depends on the inputs by way of the local
 * GPs that are asked. */
splitgp_status splitgp_predict_all_gradients(const splitgp_model* model, size_t n, const double* x,
                                             double* mean, double* variance, double* noise_variance,
                                             double* mean_gradient, double* variance_gradient,
                                             double* noise_variance_gradient);

/* Trains the hyperparameters now, whatever the schedule. *adopted, unless NULL, says whether better
 * ones were found. Without memory it returns SPLITGP_OUT_OF_MEMORY, and the model can still be
 * used: its hyperparameters stay, as after a training that fails within splitgp_update. */
splitgp_status splitgp_train(splitgp_model* model, int* adopted);

/* Waits for a training in the background, and adopts its result. */
splitgp_status splitgp_finish_training(splitgp_model* model);

/* Builds now what a loaded model would otherwise build when it is first asked. */
splitgp_status splitgp_wake(splitgp_model* model);

/* For control loops: takes and touches all memory that the model will ever need, for as many
 * observations as max_observations or window_size let it hold. From then on splitgp_update with one
 * row, splitgp_predict and splitgp_predict_gradient allocate nothing on this thread, wait for no
 * training (the option training must be background or off), and an update does a bounded amount of
 * work. Call it on the thread that runs the loop, before that is bound to a core: the thread that
 * trains inherits it. docs/control.md says more. */
splitgp_status splitgp_bound_latency(splitgp_model* model);

/* Its earlier name, for one version. */
splitgp_status splitgp_reserve(splitgp_model* model);

/* Changes the option threads. */
splitgp_status splitgp_set_threads(splitgp_model* model, int threads);

size_t splitgp_n_inputs(const splitgp_model* model);
size_t splitgp_n_outputs(const splitgp_model* model);
size_t splitgp_n_local(const splitgp_model* model);
uint64_t splitgp_n_observations(const splitgp_model* model);

#ifdef __cplusplus
}
#endif

#endif
