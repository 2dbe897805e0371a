#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "splitgp/results.h"

namespace splitgp::python {

/// What a batch did to the model; arrays are built only when they are asked for.
struct UpdateResults {
  std::vector<UpdateResult> rows;
  bool flat = false;  ///< y has one dimension, and so has what there is for each output.
};

void bind_update_results(nanobind::module_& m);

}  // namespace splitgp::python
