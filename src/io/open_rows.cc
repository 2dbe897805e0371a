#include "io/open_rows.h"

#include <utility>

#include "io/decompress.h"
#include "io/ndjson_reader.h"

namespace splitgp {
namespace {

bool begins_like_json(TextBuffer& text) {
  std::size_t at = 0;
  do {
    at = text.text().find_first_not_of(" \t\r\n");
    if (at != std::string_view::npos) return text.text()[at] == '{';
  } while (!text.too_long() && text.fill());
  return false;
}

}  // namespace

std::unique_ptr<RowReader> read_rows(std::unique_ptr<ByteSource> source, const std::string& name,
                                     const InputOptions& options) {
  TextBuffer text(decompressed(std::move(source), name), name, options.longest_row);
  RowFormat format = options.format;
  if (format == RowFormat::automatic) {
    format = begins_like_json(text) ? RowFormat::ndjson : RowFormat::csv;
  }
  if (format == RowFormat::ndjson) return std::make_unique<NdjsonReader>(std::move(text), name);
  CsvOptions csv = options.csv;
  if (format == RowFormat::tsv) csv.separator = '\t';
  return std::make_unique<CsvReader>(std::move(text), name, csv);
}

OpenRows open_rows(const std::filesystem::path& path, const InputOptions& options, Waiter* waiter) {
  auto file = std::make_unique<FileSource>(path, waiter);
  OpenRows result;
  result.source = file.get();
  const std::string name = file->name();
  result.reader = read_rows(std::move(file), name, options);
  return result;
}

}  // namespace splitgp
