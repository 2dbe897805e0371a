#include "io/open_rows.h"

#include <string_view>
#include <utility>

#include "io/decompress.h"
#include "io/ndjson_reader.h"

namespace splitgp {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// The first character that is no space; '\0' if there is none.
char first_character(TextBuffer& text) {
  do {
    const std::size_t at = text.text().find_first_not_of(kSpaces);
    if (at != std::string_view::npos) return text.text()[at];
  } while (!text.too_long() && text.fill());
  return '\0';
}

// [{ with spaces between: a column of CSV may be called [a].
bool begins_like_array(TextBuffer& text) {
  do {
    const std::size_t first = text.text().find_first_not_of(kSpaces);
    if (first == std::string_view::npos) continue;
    if (text.text()[first] != '[') return false;
    const std::size_t second = text.text().find_first_not_of(kSpaces, first + 1);
    if (second != std::string_view::npos) {
      return text.text()[second] == '{' || text.text()[second] == ']';
    }
  } while (!text.too_long() && text.fill());
  return false;
}

// Files that many programs write, and that have no rows of text.
void refuse_columnar(const TextBuffer& text, const std::string& name) {
  for (const auto& [mark, kind] :
       {std::pair("PAR1", "a Parquet"), std::pair("ARROW1", "an Arrow")}) {
    if (!text.text().starts_with(mark)) continue;
    throw ReadError(name + ": this is " + kind +
                    " file, which the command does not read; duckdb or pyarrow convert it to CSV, "
                    "and splitgp.TableModel takes it as a table (docs/tables.md)");
  }
}

}  // namespace

std::unique_ptr<RowReader> read_rows(std::unique_ptr<ByteSource> source, const std::string& name,
                                     const InputOptions& options) {
  TextBuffer text(decompressed(std::move(source), name), name, options.longest_row);
  RowFormat format = options.format;
  const bool json = format == RowFormat::ndjson || format == RowFormat::automatic;
  const bool array = json && begins_like_array(text);
  if (format == RowFormat::automatic) {
    refuse_columnar(text, name);
    format = array || first_character(text) == '{' ? RowFormat::ndjson : RowFormat::csv;
  }
  if (format == RowFormat::ndjson) {
    return std::make_unique<NdjsonReader>(
        std::move(text), name, array ? NdjsonReader::Layout::array : NdjsonReader::Layout::lines);
  }
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
