#include "cli/stream/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"

namespace splitgp {
namespace {

// The file is made later, with the first row. What is bound to fail does so before the files of
// predictions and rejects are begun anew.
void require_folder(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (::access(folder.c_str(), W_OK) == 0) return;
  throw CommandError(kFailure, fmt::format("{}: cannot be made: {}: {}", file, folder.string(),
                                           std::generic_category().message(errno)));
}

}  // namespace

int run_stream(const StreamFlags& flags) { return StreamRun(flags).run(); }

StreamRun::StreamRun(const StreamFlags& flags)
    : flags_(flags), table_to_(flags.predictions == "-" ? stderr : stdout) {}

int StreamRun::run() {
  open_model();
  bytes_total_ = 0;
  for (const std::string& path : flags_.paths) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error || !bytes_total_) {
      bytes_total_.reset();
    } else {
      *bytes_total_ += size;
    }
  }

  End end = End::input;
  try {
    end = read_all();
  } catch (const FileError&) {
    // The commit itself has failed: the file is as of the one before.
    progress_.clear();
    throw;
  } catch (...) {
    // What was learned before the trouble stays.
    progress_.clear();
    if (record_) {
      commit();
      print_summary();
    }
    throw;
  }
  if (model_ && end == End::input) model_->model().finish_training();
  if (record_) {
    if (rows_this_run_ == 0) make_file();
    commit();
    print_summary();
  }
  if (end == End::signal) return kInterrupted + stop_.received();
  return learned_nothing() ? kBadRow : kSuccess;
}

StreamRun::End StreamRun::read_all() {
  for (const std::string& path : flags_.paths) {
    const End end = read_input(path);
    if (end != End::input) return end;
  }
  return End::input;
}

void StreamRun::open_model() {
  if (flags_.model.empty()) {
    if (flags_.test_only) throw CommandError(kUsage, "--test-only needs --model");
    if (flags_.targets.empty()) throw CommandError(kUsage, "--target is missing");
    return;
  }
  const bool exists = std::filesystem::exists(flags_.model);
  if (!exists) {
    if (flags_.test_only) throw CommandError(kFailure, flags_.model + ": there is no such file");
    if (flags_.targets.empty()) {
      throw CommandError(kUsage, "--target is missing, and there is no model in " + flags_.model);
    }
    return;
  }
  ModelFileOptions options;
  options.durability = durability();
  ModelFile file = flags_.test_only ? ModelFile::open_read_only(flags_.model)
                                    : ModelFile::open(flags_.model, std::move(options));
  flags_.model_flags.check_agreement(file.model().options(), flags_.model);
  if (flags_.model_flags.threads) file.model().set_threads(*flags_.model_flags.threads);
  if (flags_.model_flags.awake_limit) file.model().set_awake_limit(*flags_.model_flags.awake_limit);
  ObservationColumns columns = columns_of(file);
  model_.emplace(std::move(file), std::move(columns));
}

// Before anything is printed or written: flags may give columns by the numbers of this input.
void StreamRun::check_flags(RowReader& reader) {
  if (flags_.targets.empty() && flags_.inputs.empty() && flags_.ignored.empty()) return;
  check_columns(model_->columns(), reader.columns(), flags_.targets, flags_.inputs, flags_.ignored,
                flags_.model);
}

void StreamRun::make_model(RowReader& reader, const std::string& name) {
  if (!flags_.input_flags.no_header && reader.columns().size() > 1) {
    // Two numbers alike, or one with a fraction, are no names.
    const bool numbers = std::all_of(
        reader.columns().begin(), reader.columns().end(), [](const std::string& column) {
          return column.find_first_not_of("0123456789.-+eE") == std::string::npos;
        });
    const bool fraction = std::any_of(
        reader.columns().begin(), reader.columns().end(),
        [](const std::string& column) { return column.find('.') != std::string::npos; });
    if (numbers && fraction) {
      throw CommandError(kUsage, fmt::format("{}: the first line is all numbers; if it is data, "
                                             "use --no-header",
                                             name));
    }
  }
  ObservationColumns columns =
      choose_columns(reader.columns(), flags_.targets, flags_.inputs, flags_.ignored);
  Options options = flags_.model_flags.options();
  Eigen::VectorXd& length_scale = options.hyperparameters.length_scale;
  if (length_scale.size() == 1) {
    length_scale = Eigen::VectorXd::Constant(std::ssize(columns.inputs), length_scale(0));
  }
  SplittingGp model(std::ssize(columns.inputs), std::ssize(columns.outputs), std::move(options));
  model_.emplace(std::move(model), std::move(columns));
  if (!flags_.model.empty()) require_folder(flags_.model);
}

void StreamRun::make_file() {
  if (flags_.model.empty() || model_->has_file()) return;
  model_->make_file(flags_.model, durability());
}

Durability StreamRun::durability() const {
  return flags_.durability == "full" ? Durability::full : Durability::normal;
}

void StreamRun::begin_record() {
  const Eigen::Index outputs = model_->model().n_outputs();
  record_.emplace(outputs);
  if (!flags_.test_only) {
    record_ =
        StreamRecord::load(outputs, [this](const std::string& key) { return model_->note(key); });
  }
  record_seconds_at_start_ = record_->seconds;
  table_rows_ = record_->scores.rows();
  table_.emplace(table_to_, outputs > 1);
  for (const ScoreLine& line : record_->table) table_->print(line);

  const bool resumed = record_->rows_read > 0;
  const auto after = resumed ? std::optional(record_->rows_read) : std::nullopt;
  if (!flags_.predictions.empty()) {
    line_.add("row");
    for (const std::string& name : model_->columns().outputs) {
      for (const char* part : {"mean", "sd", "lower", "upper", "observed"}) {
        line_.add(outputs == 1 ? part : name + "_" + part);
      }
    }
    predictions_ = std::make_unique<RowFile>(flags_.predictions, line_.take(), after);
  }
  if (!flags_.rejects.empty()) {
    rejects_ = std::make_unique<RowFile>(flags_.rejects, "row,source,line,reason\n", after);
  }
}

std::string StreamRun::source_key(const std::string& path) const {
  if (path == "-") return path;
  // The same file from another directory is the same source.
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(path, error);
  return error ? path : canonical.string();
}

StreamRun::End StreamRun::read_input(const std::string& path) {
  OpenRows rows;
  try {
    rows = open_rows(path, flags_.input_flags.options(), this);
    input_ = rows.source;
    RowReader& reader = *rows.reader;
    if (!model_ && reader.columns().empty()) {
      fmt::print(stderr, "splitgp: {}: the input is empty\n", input_->name());
      return End::input;
    }
    if (!model_) make_model(reader, input_->name());
    if (!record_) {
      if (model_->has_file()) check_flags(reader);
      begin_record();
    }

    const std::string source = source_key(path);
    ColumnSelection selection;
    selection.numbers = model_->columns().inputs;
    selection.numbers.insert(selection.numbers.end(), model_->columns().outputs.begin(),
                             model_->columns().outputs.end());
    reader.select(std::move(selection));
    const bool replay = path != "-" || flags_.resume_stdin;
    std::uint64_t position = 0;
    if (replay && !flags_.reread && !flags_.test_only) {
      position = model_->rows_of(source);
      const std::uint64_t skipped = reader.skip(position);
      skipped_ += skipped;
      if (skipped < position) {
        fmt::print(stderr,
                   "splitgp: {}: {} {} read before, and now it has {}; nothing is read from it "
                   "(--reread learns all of it)\n",
                   input_->name(), counted(position, "row"), position == 1 ? "was" : "were",
                   with_separators(skipped));
        return End::input;
      }
    }
    positions_[source] = position;
    const End end = read_rows_of(reader, source);
    waited_before_ += input_->waited_seconds();
    bytes_before_ += input_->position();
    input_ = nullptr;
    return end;
  } catch (const WaitEnded&) {
    input_ = nullptr;
    return End::signal;
  } catch (...) {
    input_ = nullptr;
    throw;
  }
}

StreamRun::End StreamRun::read_rows_of(RowReader& reader, const std::string& source) {
  Row row;
  RejectedRow rejected;
  while (true) {
    if (stop_.received() != 0) return End::signal;
    if (flags_.limit && rows_this_run_ >= *flags_.limit) return End::limit;
    const RowReader::Next next = reader.next(row, rejected);
    if (next == RowReader::Next::end) return End::input;
    // Not before there is something to learn: a file with the wrong columns would stand in the way
    // of the right flags. Empty, so that the row and its position become durable together.
    if (next == RowReader::Next::row) make_file();
    const bool good = next == RowReader::Next::row && learn(row, rejected);
    if (!good) {
      // Not counted: after a correction the next run begins with this very row.
      if (flags_.strict) {
        throw CommandError(kBadRow, fmt::format("{}: line {}: {}", input_->name(), rejected.line,
                                                rejected.reason));
      }
      reject(rejected, source);
    }
    ++rows_this_run_;
    ++positions_[source];
    ++rows_since_commit_;
    if (good && record_->scores.at_power_of_two()) add_to_table();
    commit_if_due();
    if (progress_.due()) {
      progress_.show(record_->rows_read, record_->scores.line(0).recent_rmse, share_read());
    }
  }
}

}  // namespace splitgp
