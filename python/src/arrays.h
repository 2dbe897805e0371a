#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <Eigen/Core>
#include <memory>
#include <utility>

#include "splitgp/ahead.h"
#include "splitgp/storage.h"

namespace splitgp::python {

namespace nb = nanobind;

/// A C-order (n, d) array of float64: the same memory as a d × n Eigen matrix.
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Columns = Eigen::Map<const Eigen::MatrixXd>;
using Column = Eigen::Map<const Eigen::VectorXd>;

inline Columns columns(const Rows& rows) {
  return {rows.data(), static_cast<Eigen::Index>(rows.shape(1)),
          static_cast<Eigen::Index>(rows.shape(0))};
}

inline Column column(const Values& values) {
  return {values.data(), static_cast<Eigen::Index>(values.shape(0))};
}

/// When queries are answered for: one number for all, or one for each of `rows`.
inline Ahead ahead_of(const Values& values, const Rows& rows) {
  if (values.shape(0) == 1 && rows.shape(0) != 1) return {values.data()[0]};
  return {values.data(), static_cast<std::ptrdiff_t>(values.shape(0))};
}

/// Keeps `value` alive for as long as an array that points into it.
template <typename T>
nb::capsule keep(std::unique_ptr<T> value) {
  nb::capsule owner(value.get(), [](void* p) noexcept { delete static_cast<T*>(p); });
  value.release();
  return owner;
}

/// The memory of a matrix as an array of its columns: (n, p), or (n,) if `flat` and p = 1.
inline nb::object view(const Matrix& matrix, bool flat, const nb::capsule& owner) {
  const auto n = static_cast<std::size_t>(matrix.cols());
  const auto p = static_cast<std::size_t>(matrix.rows());
  const std::size_t shape[2] = {n, p};
  // The owner's memory is writable; only Eigen's view of it is const.
  return nb::cast(nb::ndarray<nb::numpy, double>(const_cast<double*>(matrix.data()), flat ? 1 : 2,
                                                 shape, owner),
                  nb::rv_policy::reference);
}

/// n values computed by value(i), as an array.
template <typename Scalar, typename Value>
nb::object array_of(std::size_t n, const Value& value) {
  auto values = std::make_unique<Scalar[]>(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<Scalar>(value(i));
  Scalar* data = values.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<Scalar*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Scalar>(data, {n}, owner), nb::rv_policy::reference);
}

inline nb::object array_of(const Vector& values) {
  return array_of<double>(static_cast<std::size_t>(values.size()),
                          [&](std::size_t i) { return values(static_cast<Eigen::Index>(i)); });
}

}  // namespace splitgp::python
