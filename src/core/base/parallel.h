#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace splitgp {

/// Calls work(first, last) for consecutive ranges that cover [0, n), one range per thread. An
/// item's result must not depend on its range; then nothing depends on the number of threads. The
/// first exception is rethrown here.
template <typename Work>
void parallel_ranges(Eigen::Index n, int threads, const Work& work) {
  const Eigen::Index parts = std::min<Eigen::Index>(threads, n);
  if (parts <= 1) {
    if (n > 0) work(Eigen::Index{0}, n);
    return;
  }
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(parts));
  const auto run = [&](Eigen::Index part) {
    try {
      work(n * part / parts, n * (part + 1) / parts);
    } catch (...) {
      failures[static_cast<std::size_t>(part)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (Eigen::Index part = 1; part < parts; ++part) others.emplace_back(run, part);
    run(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace splitgp
