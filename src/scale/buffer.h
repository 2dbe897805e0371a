#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "splitgp/error.h"

namespace splitgp::scale {

using Bytes = std::vector<std::uint8_t>;

/// Numbers one after another, as they lie in memory: what a router and its shards exchange. Both
/// are the same program on the same kind of machine, so there is nothing to convert.
class Writer {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T> Writer& put(const T& value) {
    return put(&value, sizeof(T));
  }
  Writer& put(std::span<const double> values) { return put(values.data(), values.size_bytes()); }
  /// Its columns.
  Writer& put(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      put(matrix.col(j).data(), static_cast<std::size_t>(matrix.rows()) * sizeof(double));
    return *this;
  }
  Writer& put(const std::optional<std::uint64_t>& value) {
    return put(value.has_value()).put(value.value_or(0));
  }
  /// With its length first.
  template <typename T>
  Writer& put_list(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    return put(values.data(), values.size() * sizeof(T));
  }
  Writer& put_text(const std::string& text) {
    put(std::uint64_t{text.size()});
    return put(text.data(), text.size());
  }
  /// Eight flags a byte.
  Writer& put_flags(const std::vector<bool>& flags);

  bool empty() const { return bytes_.empty(); }
  Bytes take() { return std::exchange(bytes_, {}); }

 private:
  Writer& put(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
    return *this;
  }
  Bytes bytes_;
};

/// Reads them back. Throws if there is less than is asked for.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    get(&value, sizeof(T));
    return value;
  }
  template <typename Dense>
  void get_matrix(Dense& matrix) {
    get(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double));
  }
  std::optional<std::uint64_t> get_optional() {
    const bool there = get<bool>();
    const auto value = get<std::uint64_t>();
    return there ? std::optional(value) : std::nullopt;
  }
  template <typename T>
  std::vector<T> get_list() {
    const auto size = get<std::uint64_t>();
    if (size > bytes_.size() / sizeof(T)) fail();
    std::vector<T> values(size);
    get(values.data(), size * sizeof(T));
    return values;
  }
  std::string get_text() {
    const std::vector<char> text = get_list<char>();
    return {text.begin(), text.end()};
  }
  std::vector<bool> get_flags();

  bool at_end() const { return bytes_.empty(); }

 private:
  [[noreturn]] static void fail() {
    throw InvalidArgument("a message between router and shard is shorter than it says");
  }
  void get(void* data, std::size_t size) {
    if (size > bytes_.size()) fail();
    if (size > 0) std::memcpy(data, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::uint8_t> bytes_;
};

inline Writer& Writer::put_flags(const std::vector<bool>& flags) {
  std::vector<std::uint8_t> packed((flags.size() + 7) / 8, 0);
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) packed[i / 8] = static_cast<std::uint8_t>(packed[i / 8] | (1u << (i % 8)));
  put(std::uint64_t{flags.size()});
  return put(packed.data(), packed.size());
}

inline std::vector<bool> Reader::get_flags() {
  std::vector<bool> flags(get<std::uint64_t>());
  std::uint8_t packed = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (i % 8 == 0) packed = get<std::uint8_t>();
    flags[i] = (packed >> (i % 8) & 1u) != 0;
  }
  return flags;
}

}  // namespace splitgp::scale
