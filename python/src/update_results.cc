#include "update_results.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "arrays.h"
#include "results.h"

namespace splitgp::python {

namespace {

// A field of every row, as an array.
template <typename Scalar, typename Field>
auto array(Field UpdateResult::*field) {
  return [field](const UpdateResults& results) {
    return array_of<Scalar>(results.rows.size(),
                            [&](std::size_t i) { return results.rows[i].*field; });
  };
}
template <typename Scalar, typename Field>
auto array(Field UpdateRecord::*field) {
  return [field](const UpdateResults& results) {
    return array_of<Scalar>(results.rows.size(),
                            [&](std::size_t i) { return results.rows[i].record.*field; });
  };
}

// A field of every row's innovations, as an array like y.
auto innovation(double Innovation::*field) {
  return [field](const UpdateResults& results) {
    const auto n = static_cast<Eigen::Index>(results.rows.size());
    const auto p = static_cast<Eigen::Index>(n > 0 ? results.rows[0].innovation.size() : 1);
    auto values = std::make_unique<Matrix>(p, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Innovations& outputs = results.rows[static_cast<std::size_t>(i)].innovation;
      for (Eigen::Index o = 0; o < p; ++o) {
        (*values)(o, i) = outputs[static_cast<std::size_t>(o)].*field;
      }
    }
    const Matrix& result = *values;
    return view(result, results.flat, keep(std::move(values)));
  };
}

nb::list alarms(const UpdateResults& results) {
  nb::list all;
  for (const UpdateResult& row : results.rows) {
    for (const Alarm& alarm : row.alarms) all.append(to_object(alarm));
  }
  return all;
}

template <typename Predicate>
std::size_t count(const UpdateResults& results, const Predicate& predicate) {
  return static_cast<std::size_t>(
      std::count_if(results.rows.begin(), results.rows.end(), predicate));
}

std::size_t splits(const UpdateResults& results) {
  return count(results,
               [](const UpdateResult& row) { return row.record.new_local_gp.has_value(); });
}

std::size_t displaced(const UpdateResults& results) {
  return count(results, [](const UpdateResult& row) { return row.record.displaced.has_value(); });
}

std::size_t trained(const UpdateResults& results) {
  return count(results, [](const UpdateResult& row) { return row.trained; });
}

std::size_t forgotten(const UpdateResults& results) {
  std::size_t sum = 0;
  for (const UpdateResult& row : results.rows) sum += row.record.forgotten.size();
  return sum;
}

int refits(const UpdateResults& results) {
  int sum = 0;
  for (const UpdateResult& row : results.rows) sum += row.record.renewed ? 1 : 0;
  return sum;
}

std::string repr(const UpdateResults& results) {
  const std::size_t jittered =
      count(results, [](const UpdateResult& row) { return row.record.jitter > 0.0; });
  const std::size_t rejected = count(results, [](const UpdateResult& row) { return row.rejected; });
  const std::size_t n_alarms = nb::len(alarms(results));
  const auto field = [](const char* name, auto value) {
    return ", " + std::string(name) + "=" + std::to_string(value);
  };
  return "<UpdateResult: rows=" + std::to_string(results.rows.size()) +
         field("splits", splits(results)) + field("displaced", displaced(results)) +
         field("refits", refits(results)) + field("trained", trained(results)) +
         (forgotten(results) > 0 ? field("forgotten", forgotten(results)) : "") +
         (jittered > 0 ? field("jittered", jittered) : "") +
         (rejected > 0 ? field("rejected", rejected) : "") +
         (n_alarms > 0 ? field("alarms", n_alarms) : "") + ">";
}

}  // namespace

void bind_update_results(nb::module_& m) {
  nb::class_<UpdateResults>(m, "UpdateResult",
                            "What a batch of observations did to the model: arrays have one entry "
                            "per row, numbers are totals over the whole batch.")
      .def("__len__", [](const UpdateResults& results) { return results.rows.size(); })
      .def("__repr__", &repr)
      .def_prop_ro("sequence", array<std::uint64_t>(&UpdateResult::sequence),
                   "The number of each observation, counted from 0.")
      .def_prop_ro("routed_to", array<std::int64_t>(&UpdateRecord::routed_to),
                   "The local GP with the most similar center.")
      .def_prop_ro("local_gp", array<std::int64_t>(&UpdateRecord::local_gp),
                   "The local GP that owns it now; a split may change it.")
      .def_prop_ro("jitter", array<double>(&UpdateRecord::jitter),
                   "Variance added to keep the factor positive; usually 0.")
      .def_prop_ro("innovation_mean", innovation(&Innovation::mean),
                   "What the owner of each row expected of it just before learning it, …")
      .def_prop_ro("innovation_variance", innovation(&Innovation::variance),
                   "… and how far from that an observation may fall, noise included.")
      .def_prop_ro(
          "z", innovation(&Innovation::z),
          "How surprising each row was: (y - innovation_mean) / sqrt(innovation_variance), "
          "with mean 0 and variance 1 if all is right.")
      .def_prop_ro("outlier", array<bool>(&UpdateResult::outlier),
                   "Whether a |z| of the row is above 8.")
      .def_prop_ro("rejected", array<bool>(&UpdateResult::rejected),
                   "Whether the row is an outlier that was not learned (outliers=\"reject\").")
      .def_prop_ro("alarms", &alarms, "The alarms that these rows raised, each an `Alarm`.")
      .def_prop_ro("splits", &splits, "How many local GPs were split.")
      .def_prop_ro("displaced", &displaced,
                   "How many borrowed points were dropped by the rows' owners to make room.")
      .def_prop_ro("forgotten", &forgotten,
                   "How many observations made room: for the window, the budget or their age.")
      .def_prop_ro("refits", &refits, "How many local GPs were refitted to the current θ.")
      .def_prop_ro("trained", &trained, "How many trainings ended here.");
}

}  // namespace splitgp::python
