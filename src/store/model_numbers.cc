#include "store/model_numbers.h"

#include <limits>
#include <utility>

#include "store/table_rows.h"

namespace splitgp::store {

using Limits = std::numeric_limits<std::int64_t>;

ModelNumbers::ModelNumbers(const Database& database) : database_(database) {
  TableReader rows(database, "model", "name");
  while (rows.next()) {
    std::string name(rows.text());
    if (!values_.emplace(std::move(name), rows.integer()).second) rows.fail("it appears twice");
    rows.end_row();
  }
}

std::int64_t ModelNumbers::at(const std::string& name, std::int64_t low, std::int64_t high) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw damaged(database_.path(), name + " is missing");
  if (found->second < low || found->second > high) {
    throw damaged(database_.path(), name + " is " + std::to_string(found->second));
  }
  return found->second;
}

std::uint64_t ModelNumbers::count(const std::string& name) const {
  return static_cast<std::uint64_t>(at(name, 0, kMostCounted));
}

std::uint64_t ModelNumbers::version(const std::string& name) const {
  return static_cast<std::uint64_t>(at(name, Limits::min(), Limits::max()));
}

void ModelNumbers::check(const std::string& name, std::uint64_t found) const {
  if (found == count(name)) return;
  throw damaged(database_.path(), "it holds " + std::to_string(found) + " " + name + " of " +
                                      std::to_string(count(name)));
}

}  // namespace splitgp::store
