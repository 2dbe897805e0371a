#pragma once

#include <cstddef>
#include <deque>
#include <iterator>
#include <utility>

namespace splitgp {

/// A std::deque that can be made in advance: after reserve(), what is added takes the place of a
/// spare element, and what is dropped becomes one, with all its memory. A copy has no spare ones.
template <typename T>
class SpareDeque {
 public:
  SpareDeque() = default;
  SpareDeque(const SpareDeque& other)
      : all_(other.begin(), other.end()), used_(other.used_), keeps_(false) {}
  SpareDeque(SpareDeque&&) = default;
  SpareDeque& operator=(SpareDeque other) noexcept {
    all_.swap(other.all_);
    std::swap(used_, other.used_);
    std::swap(keeps_, other.keeps_);
    return *this;
  }

  std::size_t size() const { return used_; }
  bool empty() const { return used_ == 0; }
  T& operator[](std::size_t i) { return all_[i]; }
  const T& operator[](std::size_t i) const { return all_[i]; }
  T& back() { return all_[used_ - 1]; }
  const T& back() const { return all_[used_ - 1]; }
  auto begin() { return all_.begin(); }
  auto begin() const { return all_.begin(); }
  auto end() { return all_.begin() + static_cast<std::ptrdiff_t>(used_); }
  auto end() const { return all_.begin() + static_cast<std::ptrdiff_t>(used_); }

  /// Adds a copy; into a spare element's memory if there is one. References stay valid.
  T& push_back(const T& value) {
    if (used_ < all_.size()) {
      all_[used_] = value;
    } else {
      all_.push_back(value);
    }
    return all_[used_++];
  }
  T& push_back(T&& value) {
    if (used_ < all_.size()) {
      all_[used_] = std::move(value);
    } else {
      all_.push_back(std::move(value));
    }
    return all_[used_++];
  }
  /// Adds a spare element as it is; nullptr if there is none.
  T* take_spare() { return used_ < all_.size() ? &all_[used_++] : nullptr; }
  template <typename... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (used_ < all_.size()) {
      all_[used_] = T(std::forward<Arguments>(arguments)...);
    } else {
      all_.emplace_back(std::forward<Arguments>(arguments)...);
    }
    return all_[used_++];
  }
  void pop_back() {
    --used_;
    if (!keeps_) all_.pop_back();
  }
  void clear() {
    if (!keeps_) all_.clear();
    used_ = 0;
  }

  /// Room for `size` elements in all, the new ones copies of `spare`. From now on none is freed.
  void reserve(std::size_t size, const T& spare) {
    keeps_ = true;
    while (all_.size() < size) all_.push_back(spare);
  }
  std::size_t reserved() const { return all_.size(); }
  bool keeps() const { return keeps_; }
  /// Every element, spare ones too.
  std::deque<T>& all() { return all_; }
  const std::deque<T>& all() const { return all_; }

 private:
  std::deque<T> all_;
  std::size_t used_ = 0;
  bool keeps_ = false;
};

template <typename T>
std::ptrdiff_t ssize(const SpareDeque<T>& deque) {
  return static_cast<std::ptrdiff_t>(deque.size());
}

}  // namespace splitgp
