#include "update_results.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "arrays.h"

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

template <typename Predicate>
std::size_t count(const UpdateResults& results, const Predicate& predicate) {
  return static_cast<std::size_t>(
      std::count_if(results.rows.begin(), results.rows.end(), predicate));
}

std::size_t splits(const UpdateResults& results) {
  return count(results, [](const UpdateResult& row) { return row.new_local_gp.has_value(); });
}

std::size_t displaced(const UpdateResults& results) {
  return count(results, [](const UpdateResult& row) { return row.displaced.has_value(); });
}

std::size_t trained(const UpdateResults& results) {
  return count(results, [](const UpdateResult& row) { return row.trained; });
}

std::size_t forgotten(const UpdateResults& results) {
  std::size_t sum = 0;
  for (const UpdateResult& row : results.rows) sum += row.forgotten.size();
  return sum;
}

int refits(const UpdateResults& results) {
  int sum = 0;
  for (const UpdateResult& row : results.rows) sum += row.refits;
  return sum;
}

std::string repr(const UpdateResults& results) {
  const std::size_t jittered =
      count(results, [](const UpdateResult& row) { return row.jitter > 0.0; });
  const auto field = [](const char* name, auto value) {
    return ", " + std::string(name) + "=" + std::to_string(value);
  };
  return "<UpdateResult: rows=" + std::to_string(results.rows.size()) +
         field("splits", splits(results)) + field("displaced", displaced(results)) +
         field("refits", refits(results)) + field("trained", trained(results)) +
         (forgotten(results) > 0 ? field("forgotten", forgotten(results)) : "") +
         (jittered > 0 ? field("jittered", jittered) : "") + ">";
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
      .def_prop_ro("routed_to", array<std::int64_t>(&UpdateResult::routed_to),
                   "The local GP with the most similar center.")
      .def_prop_ro("local_gp", array<std::int64_t>(&UpdateResult::local_gp),
                   "The local GP that owns it now; a split may change it.")
      .def_prop_ro("jitter", array<double>(&UpdateResult::jitter),
                   "Variance added to keep the factor positive; usually 0.")
      .def_prop_ro("splits", &splits, "How many local GPs were split.")
      .def_prop_ro("displaced", &displaced,
                   "How many borrowed points were dropped by the rows' owners to make room.")
      .def_prop_ro("forgotten", &forgotten,
                   "How many observations made room: for the window, the budget or their age.")
      .def_prop_ro("refits", &refits, "How many local GPs were refitted to the current θ.")
      .def_prop_ro("trained", &trained, "How many trainings ended here.");
}

}  // namespace splitgp::python
