#include "cli/stream/reporting.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/age.h"
#include "io/printable.h"

namespace splitgp {

Reporting::Reporting(const StreamFlags& flags)
    : flags_(flags), to_(flags.predictions == "-" ? stderr : stdout) {}

void Reporting::begin(const StreamModel& model, StreamRecord& record, const Reading& reading) {
  model_ = &model;
  record_ = &record;
  reading_ = &reading;
  const double age = model.model().options().max_age;
  if (age > 0.0 && !model.recipe().times().empty()) {
    const table::TimeColumns& time = model.recipe().times().front();
    fmt::print(to_, "Observations older than {} by {} are forgotten.\n", age_text(age),
               printable(model.recipe().columns()[time.columns.front()].name));
  }
  line_rows_ = record.scores.rows();
  table_.emplace(to_, model.model().n_outputs() > 1);
  for (const ScoreLine& line : record.table) table_->print(line);
}

void Reporting::print_recipe(const table::Found& found, std::size_t rows) {
  fmt::print(to_, "Columns, as found in {}; --as COL=number|category|time|ignore says otherwise:\n",
             rows == 1 ? "the first row" : "the first " + counted(rows, "row"));
  // A table of hundreds of columns is mostly numbers.
  constexpr std::size_t kMost = 50;
  const std::vector<std::string> lines = found.recipe.explanation();
  std::size_t left_out = 0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (lines.size() > kMost && lines[k].ends_with("  number")) {
      ++left_out;
    } else {
      fmt::print(to_, "  {}\n", lines[k]);
    }
  }
  if (left_out > 0) fmt::print(to_, "  and {}\n", counted(left_out, "number"));
  std::fflush(to_);
  for (const std::string& remark : found.remarks) warn(remark);
}

// An age that is given in the wrong unit leaves next to nothing, and nobody would notice.
void Reporting::warn_of_age() {
  const SplittingGp& model = model_->model();
  const double age = model.options().max_age;
  const auto held = static_cast<std::uint64_t>(model.n_observations());
  if (!(age > 0.0) || 10 * held > learned_) return;
  warn(
      fmt::format("--max-age is {}, so of the {} learned only {} {} left; is another unit meant, "
                  "such as {}d?",
                  age_text(age), counted(learned_, "row"), with_separators(held),
                  held == 1 ? "is" : "are", age));
}

void Reporting::add_learned() {
  ++learned_;
  constexpr std::uint64_t kEnoughToJudge = 32;
  if (learned_ == kEnoughToJudge && !flags_.test_only) warn_of_age();
  if (!record_->scores.at_power_of_two()) return;
  ScoreLine line = record_->scores.line(model_->model().n_local());
  const double seconds = reading_->busy_seconds();
  // The first few rows are too quick to be timed.
  if (seconds > line_seconds_ && line.rows > 16) {
    line.rows_per_second = static_cast<double>(line.rows - line_rows_) / (seconds - line_seconds_);
  }
  line_seconds_ = seconds;
  line_rows_ = line.rows;
  record_->table.push_back(line);
  progress_.clear();
  table_->print(line);
}

void Reporting::add_rejected(const RejectedRow& rejected) {
  if (++rejected_ > 1) return;
  first_rejection_ =
      fmt::format("{}: line {}: {}", reading_->name(), rejected.line, rejected.reason);
  first_rejected_column_ = rejected.column;
}

void Reporting::show_progress() {
  if (!progress_.due()) return;
  progress_.show(record_->rows_read, record_->scores.line(0).recent_rmse, reading_->share_read());
}

void Reporting::warn(const std::string& message) {
  progress_.clear();
  fmt::print(stderr, "splitgp: {}\n", printable(message));
}

void Reporting::print_summary() {
  progress_.clear();
  const double seconds = reading_->busy_seconds();
  if (record_->scores.rows() > 0) {
    ScoreLine last = record_->scores.line(model_->model().n_local());
    last.rows_per_second = seconds > 0.0 ? static_cast<double>(reading_->rows()) / seconds : 0.0;
    table_->print_rule();
    table_->print(last);
  }
  if (const std::uint64_t unscored = record_->scores.unscored(); unscored > 0) {
    fmt::print(to_,
               "scores count from row {} on; before it the model did not know the scale of the "
               "target\n",
               with_separators(unscored + 1));
  }
  print_outputs();
  print_filled();
  fmt::print(to_, "read {}: {} {}", counted(reading_->rows(), "row"), with_separators(learned_),
             flags_.test_only ? "tested" : "learned");
  if (predicted_ > 0) {
    fmt::print(to_, ", {} without a target only predicted", with_separators(predicted_));
  }
  if (early_ > 0) fmt::print(to_, ", {} too early for their lags", with_separators(early_));
  if (const std::uint64_t waiting = model_->state().waiting(); waiting > 0) {
    fmt::print(to_, ", {} waiting for their target", with_separators(waiting));
  }
  fmt::print(to_, ", {} rejected; {:.1f} s", with_separators(rejected_), seconds);
  if (const std::uint64_t skipped = reading_->skipped(); skipped > 0) {
    fmt::print(to_, "; {} read in earlier runs", with_separators(skipped));
  }
  if (model_->has_file()) {
    fmt::print(to_, "; model in {}", flags_.model);
  } else if (!flags_.model.empty()) {
    fmt::print(to_, "; no model was created");
  }
  fmt::print(to_, "\n");
  std::fflush(to_);
  if (rejected_ > 0) print_rejections();
}

// With several outputs, the table has only averages over them.
void Reporting::print_outputs() const {
  const std::vector<std::string>& outputs = model_->columns().outputs;
  for (std::size_t o = 0; outputs.size() > 1 && o < outputs.size(); ++o) {
    const OutputScore& score = record_->scores.outputs()[o];
    const auto index = static_cast<Eigen::Index>(o);
    fmt::print(to_, "  {}: RMSE {}, recent {}, sd {}, NLPD {}, 95 % interval covers {:.1f} %\n",
               printable(outputs[o]), short_number(score.rmse()),
               short_number(record_->scores.recent_rmse(index)),
               short_number(record_->scores.spread(index)), short_number(score.mean_nlpd()),
               100.0 * score.coverage());
  }
}

void Reporting::print_filled() const {
  const std::vector<table::Column>& columns = model_->recipe().columns();
  const std::vector<std::uint64_t>& filled = model_->state().filled();
  std::string text;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (filled[c] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(columns[c].name),
                        with_separators(filled[c]));
  }
  if (!text.empty()) fmt::print(to_, "missing values filled, over all runs: {}\n", text);
}

void Reporting::print_rejections() const {
  const std::vector<std::string>& inputs = model_->columns().inputs;
  // The columns of a model in a file cannot change.
  const bool can_be_ignored =
      learned_nothing() && !model_->has_file() && inputs.size() > 1 &&
      std::find(inputs.begin(), inputs.end(), first_rejected_column_) != inputs.end();
  fmt::print(stderr, "splitgp: {} rejected, the first at {}{}\n", counted(rejected_, "row"),
             printable(first_rejection_),
             can_be_ignored ? "; use --ignore to leave out columns that are not numbers" : "");
}

}  // namespace splitgp
