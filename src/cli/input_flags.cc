#include "cli/input_flags.h"

#include "cli/exit_code.h"

namespace splitgp {

InputOptions InputFlags::options() const {
  InputOptions options;
  if (format == "csv") options.format = RowFormat::csv;
  if (format == "tsv") options.format = RowFormat::tsv;
  if (format == "ndjson") options.format = RowFormat::ndjson;
  if (!decimal.empty()) options.csv.decimal_mark = decimal.front();
  options.csv.header = !no_header;
  if (separator == "tab" || separator == "\\t") {
    options.csv.separator = '\t';
  } else if (separator.size() == 1 && separator != "\"" && separator != "\n") {
    options.csv.separator = separator.front();
  } else if (!separator.empty()) {
    throw CommandError(kUsage,
                       "--separator '" + separator + "': must be a single character, or tab");
  }
  if (options.csv.separator == options.csv.decimal_mark) {
    throw CommandError(kUsage, "--separator and --decimal are the same character");
  }
  return options;
}

}  // namespace splitgp
