#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "store/database.h"

namespace splitgp::store {

/// Table model: counts and marks, by name.
class ModelNumbers {
 public:
  explicit ModelNumbers(const Database& database);

  /// Throws FileError if it is missing or not in [low, high].
  std::int64_t at(const std::string& name, std::int64_t low, std::int64_t high) const;
  bool has(const std::string& name) const { return values_.contains(name); }
  /// Small enough to be added to without overflow.
  std::uint64_t count(const std::string& name) const;
  std::uint64_t version(const std::string& name) const;
  bool flag(const std::string& name) const { return at(name, 0, 1) != 0; }

  /// Throws FileError unless `found` is the count that `name` gives.
  void check(const std::string& name, std::uint64_t found) const;

 private:
  const Database& database_;
  std::map<std::string, std::int64_t> values_;
};

}  // namespace splitgp::store
