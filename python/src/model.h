#pragma once

#include <nanobind/nanobind.h>

#include <mutex>
#include <shared_mutex>
#include <utility>

#include "splitgp/splitting_gp.h"

namespace splitgp::python {

/// A SplittingGp that many Python threads may use at once: reads share it, writes are exclusive.
///
/// Lock order: the interpreter's lock is released before the model's is taken, and nothing that
/// runs under the model's lock needs the interpreter. Otherwise two threads could each hold one and
/// wait for the other.
class Model {
 public:
  explicit Model(SplittingGp gp) : gp_(std::move(gp)) {}

  /// Runs work(const SplittingGp&) without the interpreter's lock.
  template <typename Work>
  auto read(const Work& work) const {
    const nanobind::gil_scoped_release released;
    const std::shared_lock lock(mutex_);
    return work(gp_);
  }

  /// Runs work(SplittingGp&) exclusively, without the interpreter's lock.
  template <typename Work>
  auto write(const Work& work) {
    const nanobind::gil_scoped_release released;
    const std::unique_lock lock(mutex_);
    return work(gp_);
  }

 private:
  SplittingGp gp_;
  mutable std::shared_mutex mutex_;
};

void bind_options(nanobind::module_& m);
void bind_model(nanobind::module_& m);
void bind_store(nanobind::module_& m);
void bind_rivals(nanobind::module_& m);
void bind_scale(nanobind::module_& m);

}  // namespace splitgp::python
