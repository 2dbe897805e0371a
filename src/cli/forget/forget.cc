#include "cli/forget/forget.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/scores/score_table.h"
#include "cli/stream/record.h"
#include "io/printable.h"
#include "serve/ledger.h"
#include "splitgp/model_file.h"
#include "store/file_internals.h"

namespace splitgp {
namespace {

std::uint64_t number_of(std::string_view text, std::string_view part) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) {
    throw CommandError(kUsage,
                       fmt::format("--rows: {} is neither a number nor a range such as 10-20",
                                   shown(std::string(part))));
  }
  return number;
}

// "10-20,57" with both ends of a range, counted from 1, as sequences, which count from 0. `seen`
// bounds what a range can mean.
std::vector<std::uint64_t> sequences_of(std::string_view rows, std::uint64_t seen) {
  std::vector<std::uint64_t> sequences;
  while (true) {
    const std::string_view part = rows.substr(0, rows.find(','));
    const std::size_t dash = part.find('-');
    const std::uint64_t first = number_of(part.substr(0, dash), part);
    const std::uint64_t last =
        dash == std::string_view::npos ? first : number_of(part.substr(dash + 1), part);
    if (last < first) {
      throw CommandError(kUsage, fmt::format("--rows: {} ends before it begins", part));
    }
    if (first == 0 || last > seen) {
      throw CommandError(kUsage, fmt::format("--rows {}: the model has learned {}, counted from 1",
                                             part, counted(seen, "observation")));
    }
    for (std::uint64_t one = first; one <= last; ++one) sequences.push_back(one - 1);
    if (part.size() == rows.size()) return sequences;
    rows.remove_prefix(part.size() + 1);
  }
}

// The engine would say the same, but counts from 0.
void require_held(const std::vector<std::uint64_t>& sequences, const SplittingGp& model) {
  const std::vector<std::uint64_t> held = model.observations().sequence;
  std::vector<std::uint64_t> sorted = sequences;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw CommandError(kUsage, fmt::format("--rows: {} is there more than once", *twice + 1));
  }
  for (const std::uint64_t one : sorted) {
    if (std::binary_search(held.begin(), held.end(), one)) continue;
    throw CommandError(kUsage, fmt::format("--rows: {} was forgotten already", one + 1));
  }
}

// Rows that were rejected or only predicted have a number in --predictions, but none here.
void warn_of_other_rows(const ModelFile& file) {
  const StreamRecord record = StreamRecord::load(
      file.model().n_outputs(), [&file](const std::string& key) { return file.note(key); });
  if (record.rows_read <= record.learned) return;
  fmt::print(stderr,
             "splitgp: of the {} read, {} learned; the numbers count those alone, and `row` in "
             "files of predictions counts all\n",
             counted(record.rows_read, "row"),
             record.learned == 1 ? "1 was" : with_separators(record.learned) + " were");
}

// A file that was served also holds what was answered to rows with ids.
void checkpoint(ModelFile& file, const std::vector<std::uint64_t>& sequences,
                std::uint64_t before) {
  store::Database& database = *FileInternals::database(file);
  std::optional<serve::Ledger> ledger;
  if (serve::Ledger::is_in(database)) {
    ledger.emplace(database, serve::LedgerLimits());
    ledger->forget(sequences);
    ledger->forget_before(before);
  }
  FileInternals::checkpoint(
      file,
      [&ledger] {
        if (ledger) ledger->write();
      },
      [](const FileInternals::Call& settle) { settle(); });
}

}  // namespace

int run_forget(const ForgetFlags& flags) {
  if (flags.rows.empty() != flags.before.has_value())
    throw CommandError(kUsage, "forget needs either --rows or --before");
  ModelFile file = ModelFile::open(flags.model);
  const std::vector<std::uint64_t> sequences =
      flags.before ? std::vector<std::uint64_t>{} : sequences_of(flags.rows, file.model().n_seen());
  if (flags.before && *flags.before > file.model().n_seen() + 1) {
    throw CommandError(
        kUsage, fmt::format("--before {}: the model has learned {}, counted from 1", *flags.before,
                            counted(file.model().n_seen(), "observation")));
  }
  require_held(sequences, file.model());
  warn_of_other_rows(file);
  const std::uint64_t before = flags.before ? *flags.before - 1 : 0;
  const ForgetResult result =
      flags.before ? file.model().forget_before(before) : file.model().forget(sequences);
  drop_forgotten(file);
  checkpoint(file, sequences, before);
  fmt::print(
      "{}: forgot {}; {} left, in {}{}\n", flags.model, counted(result.forgotten, "observation"),
      with_separators(file.model().n_observations()),
      counted(static_cast<std::uint64_t>(file.model().n_local()), "local GP"),
      result.merged.empty()
          ? ""
          : fmt::format("; {} merged into neighbors", with_separators(result.merged.size())));
  return kSuccess;
}

}  // namespace splitgp
