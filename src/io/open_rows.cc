#include "io/open_rows.h"

#include <fmt/format.h>

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
void refuse_columnar(TextBuffer& text, const std::string& name) {
  struct Columnar {
    std::string_view mark, kind, module;
  };
  for (const Columnar& one :
       {Columnar{"PAR1", "a Parquet", "parquet"}, Columnar{"ARROW1", "an Arrow", "feather"}}) {
    // What looks for compression leaves the first byte alone in the buffer.
    while (one.mark.starts_with(text.text()) && text.text() != one.mark && text.fill()) {
    }
    if (!text.text().starts_with(one.mark)) continue;
    throw ReadError(fmt::format(
        "{}: this is {} file, which the command does not read; docs/tables.md has ways to convert "
        "it, such as python3 -c \"import sys, pyarrow.csv as c, pyarrow.{} as p; "
        "c.write_csv(p.read_table(sys.argv[1]), sys.stdout.buffer)\" FILE | splitgp stream -",
        name, one.kind, one.module));
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
