"""The C file of a compiled CasADi function."""

from __future__ import annotations

import json

__all__ = ["external_source"]

_TEMPLATE = """\
/* Written by splitgp.casadi.write_external: a saved model as a function for casadi.external.
 * Compile: cc -O2 -shared -fPIC THIS.c -o NAME.so $(pkg-config --cflags --libs splitgp_c) */
#include <stddef.h>
#include <stdio.h>

#include <splitgp/splitgp_c.h>

#ifndef casadi_real
#define casadi_real double
#endif
#ifndef casadi_int
#define casadi_int long long int
#endif

enum {{ kInputs = {inputs}, kOutputs = {outputs}, kValues = {values} }};

static const char* const model_file = {path};
static splitgp_model* model = NULL;
static int references = 0;

/* Three numbers for a dense matrix; four for a column of which nothing is used. */
static const casadi_int input_sparsity[3] = {{kInputs, 1, 1}};
static const casadi_int value_sparsity[3] = {{kOutputs, 1, 1}};
static const casadi_int jacobian_sparsity[3] = {{kOutputs, kInputs, 1}};
static const casadi_int unused_sparsity[4] = {{kOutputs, 1, 0, 0}};

static void add_reference(void) {{
  if (references++ > 0) return;
  if (splitgp_load(model_file, &model) != SPLITGP_OK || splitgp_wake(model) != SPLITGP_OK) {{
    fprintf(stderr, "{name}: %s\\n", splitgp_last_error());
    return;
  }}
  if (splitgp_n_inputs(model) == kInputs && splitgp_n_outputs(model) == kOutputs) return;
  fprintf(stderr, "{name}: %s has other inputs or outputs than it had\\n", model_file);
  splitgp_destroy(model);
  model = NULL;
}}

static void drop_reference(void) {{
  if (--references > 0) return;
  splitgp_destroy(model);
  model = NULL;
}}

/* The model, to learn between two predictions; NULL while nothing refers to the function. */
splitgp_model* {name}_model(void) {{ return model; }}

/* CasADi leaves out an input that is 0. */
static const double* input_or_zeros(const casadi_real** arg, casadi_real* w) {{
  int k;
  if (arg[0] != NULL) return arg[0];
  for (k = 0; k < kInputs; ++k) w[k] = 0.0;
  return w;
}}

void {name}_incref(void) {{ add_reference(); }}
void {name}_decref(void) {{ drop_reference(); }}
casadi_int {name}_n_in(void) {{ return 1; }}
casadi_int {name}_n_out(void) {{ return kValues; }}
const char* {name}_name_in(casadi_int i) {{ return i == 0 ? "x" : NULL; }}
const char* {name}_name_out(casadi_int i) {{
  return i == 0 ? "mean" : i < kValues ? "variance" : NULL;
}}
const casadi_int* {name}_sparsity_in(casadi_int i) {{ return i == 0 ? input_sparsity : NULL; }}
const casadi_int* {name}_sparsity_out(casadi_int i) {{
  return i < kValues ? value_sparsity : NULL;
}}
int {name}_work(casadi_int* sz_arg, casadi_int* sz_res, casadi_int* sz_iw, casadi_int* sz_w) {{
  if (sz_arg != NULL) *sz_arg = 1;
  if (sz_res != NULL) *sz_res = kValues;
  if (sz_iw != NULL) *sz_iw = 0;
  if (sz_w != NULL) *sz_w = kInputs;
  return 0;
}}
int {name}(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem) {{
  (void)iw;
  (void)mem;
  return splitgp_predict(model, 1, input_or_zeros(arg, w), res[0], kValues > 1 ? res[1] : NULL,
                         NULL);
}}

void jac_{name}_incref(void) {{ add_reference(); }}
void jac_{name}_decref(void) {{ drop_reference(); }}
casadi_int jac_{name}_n_in(void) {{ return 1 + kValues; }}
casadi_int jac_{name}_n_out(void) {{ return kValues; }}
const char* jac_{name}_name_in(casadi_int i) {{
  return i == 0 ? "x" : i == 1 ? "out_mean" : i <= kValues ? "out_variance" : NULL;
}}
const char* jac_{name}_name_out(casadi_int i) {{
  return i == 0 ? "jac_mean_x" : i < kValues ? "jac_variance_x" : NULL;
}}
const casadi_int* jac_{name}_sparsity_in(casadi_int i) {{
  return i == 0 ? input_sparsity : i <= kValues ? unused_sparsity : NULL;
}}
const casadi_int* jac_{name}_sparsity_out(casadi_int i) {{
  return i < kValues ? jacobian_sparsity : NULL;
}}
int jac_{name}_work(casadi_int* sz_arg, casadi_int* sz_res, casadi_int* sz_iw, casadi_int* sz_w) {{
  if (sz_arg != NULL) *sz_arg = 1 + kValues;
  if (sz_res != NULL) *sz_res = kValues;
  if (sz_iw != NULL) *sz_iw = 0;
  if (sz_w != NULL) *sz_w = kInputs + 2 * kOutputs * kInputs;
  return 0;
}}
int jac_{name}(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w,
               int mem) {{
  double* gradients = w + kInputs;
  int v, o, k;
  (void)iw;
  (void)mem;
  if (splitgp_predict_gradient(model, 1, input_or_zeros(arg, w), NULL, NULL, NULL, gradients,
                               gradients + kOutputs * kInputs) != SPLITGP_OK)
    return 1;
  for (v = 0; v < kValues; ++v) {{ /* by rows there, by columns here */
    const double* gradient = gradients + v * kOutputs * kInputs;
    if (res[v] == NULL) continue;
    for (k = 0; k < kInputs; ++k) {{
      for (o = 0; o < kOutputs; ++o) res[v][k * kOutputs + o] = gradient[o * kInputs + k];
    }}
  }}
  return 0;
}}
"""


def external_source(name: str, path: str, inputs: int, outputs: int, variance: bool) -> str:
    """The text of the file; `name` becomes part of C names."""
    if not (name.isidentifier() and name.isascii()):
        raise ValueError(f"name is {name!r}; it must be a name in C")
    # The quoting of JSON is that of C, but for characters beyond ASCII, which stay as they are.
    return _TEMPLATE.format(
        name=name,
        path=json.dumps(path, ensure_ascii=False),
        inputs=inputs,
        outputs=outputs,
        values=2 if variance else 1,
    )
