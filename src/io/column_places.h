#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace splitgp {

/// Where each column of a header is, by name, in O(1): a table may have a hundred thousand of them.
class ColumnPlaces {
 public:
  /// `columns` must outlive it.
  explicit ColumnPlaces(const std::vector<std::string>& columns) {
    places_.reserve(columns.size());
    for (std::size_t at = 0; at < columns.size(); ++at) {
      const auto [entry, added] = places_.try_emplace(columns[at], Place{at, false});
      if (!added) entry->second.repeated = true;
    }
  }

  bool has(std::string_view name) const { return places_.contains(name); }
  /// Of the first column of this name.
  std::optional<std::size_t> find(std::string_view name) const {
    const auto entry = places_.find(name);
    return entry == places_.end() ? std::nullopt : std::optional(entry->second.at);
  }
  /// Whether the header has the name more than once, so that nobody knows which column is meant.
  bool repeated(std::string_view name) const {
    const auto entry = places_.find(name);
    return entry != places_.end() && entry->second.repeated;
  }

 private:
  struct Place {
    std::size_t at;
    bool repeated;
  };
  std::unordered_map<std::string_view, Place> places_;
};

}  // namespace splitgp
