#pragma once

#include <string>
#include <vector>

#include "core/watch/stream_statistics.h"
#include "store/table_rows.h"

namespace splitgp::store {

/// Tables input and output: name and statistics of every column of the stream.
void write_stream_columns(TableWriter& rows, const std::vector<std::string>& names,
                          const StreamStatistics& statistics);

struct StreamColumns {
  std::vector<std::string> names;  // empty if all names are
  StreamStatistics::Sums sums;
};
StreamColumns read_stream_columns(const Database& database, const std::string& table,
                                  Eigen::Index columns, std::uint64_t observations);

}  // namespace splitgp::store
