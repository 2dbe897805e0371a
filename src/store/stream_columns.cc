#include "store/stream_columns.h"

#include <cmath>

#include "core/options/validate.h"

namespace splitgp::store {

void write_stream_columns(TableWriter& rows, const std::vector<std::string>& names,
                          const StreamStatistics& statistics) {
  const StreamStatistics::Sums& sums = statistics.sums();
  for (Eigen::Index k = 0; k < sums.mean.size(); ++k) {
    rows.add(std::int64_t{k});
    rows.add(names.empty() ? std::string_view() : names[static_cast<std::size_t>(k)]);
    rows.add(sums.mean(k)).add(sums.squares(k)).write();
  }
}

StreamColumns read_stream_columns(const Database& database, const std::string& table,
                                  Eigen::Index columns, std::uint64_t observations) {
  StreamColumns result;
  result.sums = {static_cast<Eigen::Index>(observations), Eigen::VectorXd(columns),
                 Eigen::VectorXd(columns)};
  bool any_name = false;
  TableReader rows(database, table, "number");
  while (rows.next()) {
    const Eigen::Index k = std::ssize(result.names);
    if (k == columns) rows.fail("there are more rows than columns");
    rows.integer("number", k, k);
    result.names.emplace_back(rows.text());
    any_name = any_name || !result.names.back().empty();
    result.sums.mean(k) = rows.real();
    result.sums.squares(k) = rows.real();
    rows.end_row();
    // Squares of the largest values may add up to infinity; that is valid.
    if (!(std::abs(result.sums.mean(k)) <= kLargestMagnitude)) rows.fail("mean is too large");
    if (std::isnan(result.sums.squares(k))) rows.fail("squared_deviations is not a number");
  }
  if (std::ssize(result.names) != columns) {
    throw damaged(database.path(), "table " + table + " has too few rows");
  }
  if (!any_name) result.names.clear();
  return result;
}

}  // namespace splitgp::store
