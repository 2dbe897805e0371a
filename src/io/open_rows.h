#pragma once

#include <filesystem>
#include <memory>

#include "io/csv_reader.h"
#include "io/row_reader.h"

namespace splitgp {

enum class RowFormat {
  automatic,  ///< ndjson if the text begins with { or [{, else csv.
  csv,        ///< Any separator.
  tsv,
  ndjson,  ///< Objects, one a line, or in an array.
};

struct InputOptions {
  RowFormat format = RowFormat::automatic;
  CsvOptions csv;
  std::size_t longest_row = kLongestRow;
};

/// An input and its rows. `source` knows how many bytes of the file have been read.
struct OpenRows {
  const FileSource* source;
  std::unique_ptr<RowReader> reader;
};

/// Opens a file, or standard input for "-", and detects compression and format. Throws ReadError.
OpenRows open_rows(const std::filesystem::path& path, const InputOptions& options = {},
                   Waiter* waiter = nullptr);

/// The same for bytes from another source.
std::unique_ptr<RowReader> read_rows(std::unique_ptr<ByteSource> source, const std::string& name,
                                     const InputOptions& options = {});

}  // namespace splitgp
