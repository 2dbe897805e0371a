#include "cli/input_flags.h"

#include "cli/exit_code.h"

namespace splitgp {

void InputFlags::add_to(CLI::App& command) {
  const char* const group = "Input text";
  command.add_option("--format", format, "auto looks at the text (auto)")
      ->check(CLI::IsMember({"auto", "csv", "tsv", "ndjson"}))
      ->group(group);
  command
      .add_option("--separator", separator,
                  "Between the columns of CSV: one character, or tab (the header's most frequent "
                  "of , ; tab |)")
      ->group(group);
  command.add_option("--decimal", decimal, "Decimal mark of CSV: . or , (.)")
      ->check(CLI::IsMember({".", ","}))
      ->group(group);
  command.add_flag("--no-header", no_header, "CSV begins with data; columns are called 1, 2, 3, …")
      ->group(group);
}

InputOptions InputFlags::options() const {
  InputOptions options;
  if (format == "csv") options.format = RowFormat::csv;
  if (format == "tsv") options.format = RowFormat::tsv;
  if (format == "ndjson") options.format = RowFormat::ndjson;
  options.csv.decimal_mark = decimal.front();
  options.csv.header = !no_header;
  if (separator == "tab" || separator == "\\t") {
    options.csv.separator = '\t';
  } else if (separator.size() == 1 && separator != "\"" && separator != "\n") {
    options.csv.separator = separator.front();
  } else if (!separator.empty()) {
    throw CommandError(kUsage, "--separator '" + separator + "': it must be one character, or tab");
  }
  if (options.csv.separator == options.csv.decimal_mark) {
    throw CommandError(kUsage, "--separator and --decimal are the same character");
  }
  return options;
}

}  // namespace splitgp
