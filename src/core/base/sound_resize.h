#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <utility>

/// Eigen 3.4 frees before it allocates when a matrix is resized: if there is no memory then, the
/// matrix keeps a pointer to what is gone, and its destructor frees that again. These are the same
/// matrices of doubles, which are empty after a failed resize. Every file of ours is compiled with
/// this header first (CMakeLists.txt), because all must agree on it.
namespace Eigen {

/// REQUIRES: one of Rows and Columns is Dynamic.
template <int Rows, int Columns, int Options>
class SoundStorage {
  static constexpr bool kAlign = (Options & DontAlign) == 0;

 public:
  SoundStorage() = default;
  explicit SoundStorage(internal::constructor_without_unaligned_array_assert) {}
  SoundStorage(Index size, Index rows, Index columns)
      : data_(allocate(size)), rows_(rows), columns_(columns) {}
  SoundStorage(const SoundStorage& other) : SoundStorage(other.size(), other.rows(), other.cols()) {
    internal::smart_copy(other.data_, other.data_ + size(), data_);
  }
  SoundStorage(SoundStorage&& other) noexcept { swap(other); }
  SoundStorage& operator=(const SoundStorage& other) {
    if (this != &other) SoundStorage(other).swap(*this);
    return *this;
  }
  SoundStorage& operator=(SoundStorage&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SoundStorage() { release(data_, size()); }

  void swap(SoundStorage& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(rows_, other.rows_);
    std::swap(columns_, other.columns_);
  }

  Index rows() const noexcept { return rows_.value(); }
  Index cols() const noexcept { return columns_.value(); }
  const double* data() const { return data_; }
  double* data() { return data_; }

  void resize(Index new_size, Index rows, Index columns) {
    if (new_size != size()) {
      // Empty until there is memory. Not the other way round: both at once might not fit.
      release(std::exchange(data_, nullptr), size());
      if constexpr (Rows == Dynamic) rows_.setValue(0);
      if constexpr (Columns == Dynamic) columns_.setValue(0);
      data_ = allocate(new_size);
    }
    rows_.setValue(rows);
    columns_.setValue(columns);
  }
  void conservativeResize(Index new_size, Index rows, Index columns) {
    data_ = internal::conditional_aligned_realloc_new_auto<double, kAlign>(
        data_, static_cast<std::size_t>(new_size), static_cast<std::size_t>(size()));
    rows_.setValue(rows);
    columns_.setValue(columns);
  }

 private:
  Index size() const { return rows() * cols(); }
  static double* allocate(Index size) {
    return internal::conditional_aligned_new_auto<double, kAlign>(static_cast<std::size_t>(size));
  }
  static void release(double* data, Index size) {
    internal::conditional_aligned_delete_auto<double, kAlign>(data, static_cast<std::size_t>(size));
  }

  double* data_ = nullptr;
  [[no_unique_address]] internal::variable_if_dynamic<Index, Rows> rows_{Rows == Dynamic ? 0
                                                                                         : Rows};
  [[no_unique_address]] internal::variable_if_dynamic<Index, Columns> columns_{
      Columns == Dynamic ? 0 : Columns};
};

template <int Options>
class DenseStorage<double, Dynamic, Dynamic, Dynamic, Options>
    : public SoundStorage<Dynamic, Dynamic, Options> {
  using SoundStorage<Dynamic, Dynamic, Options>::SoundStorage;
};
template <int Rows, int Options>
class DenseStorage<double, Dynamic, Rows, Dynamic, Options>
    : public SoundStorage<Rows, Dynamic, Options> {
  using SoundStorage<Rows, Dynamic, Options>::SoundStorage;
};
template <int Columns, int Options>
class DenseStorage<double, Dynamic, Dynamic, Columns, Options>
    : public SoundStorage<Dynamic, Columns, Options> {
  using SoundStorage<Dynamic, Columns, Options>::SoundStorage;
};

}  // namespace Eigen
