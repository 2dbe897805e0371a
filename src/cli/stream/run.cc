#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "cli/exit_code.h"
#include "cli/own_files.h"
#include "cli/stream/committing.h"
#include "cli/stream/growing.h"
#include "cli/stream/open_model.h"
#include "cli/stream/reading.h"
#include "cli/stream/reporting.h"
#include "io/column_places.h"
#include "io/number.h"
#include "io/printable.h"
#include "splitgp/error.h"
#include "table/take_row.h"

namespace splitgp {
namespace {

/// One run of `splitgp stream`: reads rows, learns each, commits and reports.
class StreamRun : private table::RowModel {
 public:
  explicit StreamRun(const StreamFlags& flags)
      : flags_(flags),
        committing_(flags, stop_),
        reading_(flags, stop_, committing_),
        reporting_(flags) {}

  int run() {
    model_ = open_model(flags_);
    if (flags_.explain_recipe) return explain();
    Reading::End end = Reading::End::input;
    try {
      end = read_inputs();
    } catch (const FileError&) {
      throw;  // a commit failed: the file is as of the one before
    } catch (const UnusableModel&) {
      throw;  // likewise
    } catch (const std::bad_alloc&) {
      // Nobody knows how far the row was counted.
      throw CommandError(kFailure, out_of_memory());
    } catch (...) {
      finish();  // keep what was learned before the error
      throw;
    }
    if (model_ && end == Reading::End::input) model_->file().model().finish_training();
    if (record_) committing_.write_last_trainings();
    finish();
    if (end == Reading::End::signal) return kInterrupted + stop_.received();
    return reporting_.learned_nothing() ? kBadRow : kSuccess;
  }

 private:
  std::string out_of_memory() const {
    if (flags_.model.empty()) return "out of memory";
    return fmt::format(
        "out of memory; {} is as of its last commit, and the same command goes on "
        "from there",
        flags_.model);
  }

  int explain() {
    std::vector<std::string> header;
    while (!model_ && reading_.open_next()) {
      if (reading_.columns().empty()) continue;
      const FirstRows& rows = reading_.look_ahead(table::kFirstRows);
      if (rows.rows.empty()) continue;
      header = reading_.columns();
      model_ =
          new_model(flags_, find_recipe(flags_, reading_.columns(), rows, reading_.name()).recipe);
    }
    if (!model_) throw CommandError(kFailure, "the input has no rows");
    fmt::print("{}", model_->recipe().flags_toml(header));
    return kSuccess;
  }

  Reading::End read_inputs() {
    try {
      while (reading_.open_next()) {
        if (!begin_input()) continue;
        while (true) {
          const RowReader::Next next = reading_.next(row_, rejected_);
          if (next == RowReader::Next::end) break;
          take_row(next == RowReader::Next::row);
        }
      }
      return reading_.end();
    } catch (const WaitEnded&) {
      return Reading::End::signal;
    }
  }

  void finish() {
    if (!record_) return;
    committing_.commit();
    reporting_.print_summary();
  }

  // Returns false if there is nothing to read in the input.
  bool begin_input() {
    if (!model_ || nothing_taken()) {
      if (reading_.columns().empty()) {
        reporting_.warn(reading_.name() + ": the input is empty");
        return false;
      }
      const FirstRows& rows = reading_.look_ahead(table::kFirstRows);
      // What a column is cannot be found from nothing, and a model would keep it for good.
      if (rows.rows.empty()) {
        reporting_.warn(reading_.name() +
                        ": there are no rows after the header, so nothing is "
                        "known of its columns yet");
        return false;
      }
      const table::Found found = find_recipe(flags_, reading_.columns(), rows, reading_.name());
      model_ = new_model(flags_, found.recipe);
      reporting_.print_recipe(found, reading_.looked_rows());
      if (rows.rows.size() < table::kFirstRows) {
        FirstTable first(reading_.columns(), rows);
        if (!first.settled()) model_->begin_first(std::move(first));
      }
    }
    if (!record_) begin_record();
    const std::string problem = reading_.begin(*model_);
    place_first_columns();
    if (!problem.empty()) reporting_.warn(problem);
    return problem.empty();
  }

  void place_first_columns() {
    first_places_.clear();
    const FirstTable* const first = model_->first();
    if (first == nullptr) return;
    const ColumnPlaces selected(reading_.selected());
    for (const std::string& column : first->columns()) {
      first_places_.push_back(selected.find(column).value_or(reading_.selected().size()));
    }
  }

  // With few rows so far, the columns may turn out to be something else than they seemed to be.
  void look_again(bool taken) {
    FirstTable* const first = model_->first();
    if (first == nullptr) return;
    std::vector<std::string> texts;
    for (const std::size_t place : first_places_) {
      texts.push_back(place < row_.texts.size() ? row_.texts[place] : "");
    }
    first->add(std::move(texts), taken);
    if (!first->due()) return;
    const std::size_t rows = first->size();
    std::optional<Grown> grown = grow(model_->model(), model_->recipe(), *first, flags_);
    if (first->settled()) model_->settle();
    if (grown) {
      // Another level of a category is no news.
      if (grown->found.recipe.input_names() != model_->recipe().input_names()) {
        reporting_.print_recipe(grown->found, rows);
      }
      model_->become(std::move(*grown));
      committing_.begin_anew();
    }
    if (grown || model_->first() == nullptr) {
      reading_.select(*model_);
      place_first_columns();
    }
  }

  // Every row so far was rejected, and no file was made: what was found from such rows may be
  // wrong.
  bool nothing_taken() const {
    return record_ && !model_->has_file() && record_->rows_read == record_->rejected;
  }

  void begin_record() {
    // Checked before anything is printed or written. Flags may use column numbers of this input.
    const bool asks = !flags_.targets.empty() || !flags_.inputs.empty() || !flags_.ignored.empty();
    if (model_->has_file() && asks) {
      check_columns(model_->columns(), reading_.columns(), flags_.targets, flags_.inputs,
                    flags_.ignored, flags_.model);
    }
    if (model_->has_file()) {
      const std::string problem =
          model_->recipe().disagreement(flags_.table_flags.wishes(known_columns()));
      if (!problem.empty()) throw CommandError(kUsage, flags_.model + ": " + problem);
    }
    const Eigen::Index outputs = model_->model().n_outputs();
    record_ = flags_.test_only ? StreamRecord(outputs)
                               : StreamRecord::load(outputs, [this](const std::string& key) {
                                   return model_->file().note(key);
                                 });
    reporting_.begin(*model_, *record_, reading_);
    committing_.begin(*model_, *record_, reading_);
  }

  // For flags that name columns: those of the input and those of the model.
  std::vector<std::string> known_columns() {
    const ColumnPlaces places(reading_.columns());
    std::vector<std::string> columns = reading_.columns();
    for (const table::Column& column : model_->recipe().columns()) {
      if (!places.has(column.name)) columns.push_back(column.name);
    }
    return columns;
  }

  using Fate = table::Fate;
  using Earlier = table::TakenRow::Earlier;

  void take_row(bool good) {
    const bool read = good;
    if (good) good = apply();
    // Not earlier: a file made with the wrong columns would be in the way when the command is
    // corrected. Not later: the row and its position must be committed together.
    if (good) committing_.make_file();
    updated_.rejected = false;
    taken_.earlier = Earlier::none;
    const Fate fate = good ? process() : Fate::rejected;
    // This row is not counted, so that the next run, after a correction, starts with it.
    if (fate == Fate::rejected && flags_.strict) {
      throw CommandError(kBadRow, fmt::format("{}: line {}: {}", reading_.name(), rejected_.line,
                                              rejected_.reason));
    }
    ++record_->rows_read;
    reading_.count_row();
    if (taken_.earlier == Earlier::learned) count_learned(earlier());
    if (taken_.earlier == Earlier::without_target) count_predicted();
    switch (fate) {
      case Fate::learned:
        count_learned(scored());
        committing_.write_prediction(scored_);
        break;
      case Fate::predicted:
        count_predicted();
        committing_.write_prediction(scored());
        break;
      case Fate::waiting:
        committing_.write_prediction(scored());
        break;
      case Fate::early:
        ++record_->early;
        reporting_.add_early();
        break;
      case Fate::rejected:
        ++record_->rejected;
        committing_.write_rejected(rejected_, nullptr);
        reporting_.add_rejected(rejected_);
        break;
    }
    if (read) look_again(fate != Fate::rejected);
    committing_.count_row();
    reporting_.show_progress();
  }

  // A row whose target came: learned, or an outlier that was only predicted and scored.
  void count_learned(const ScoredRow& scored) {
    record_->scores.add(scored, model_->model().n_local());
    if (!updated_.rejected) {
      ++record_->learned;
      reporting_.add_learned();
      if (!flags_.test_only) committing_.write_events(updated_);
      return;
    }
    const auto most = std::max_element(
        updated_.innovation.begin(), updated_.innovation.end(),
        [](const Innovation& a, const Innovation& b) { return std::abs(a.z) < std::abs(b.z); });
    rejected_ = {
        row_.line,
        fmt::format("an outlier: it is {:.3g} standard deviations from what was expected", most->z),
        ""};
    ++record_->rejected;
    committing_.write_rejected(rejected_, &updated_);
    reporting_.add_rejected(rejected_);
  }

  void count_predicted() {
    ++record_->predicted;
    reporting_.add_predicted();
  }

  // Makes applied_ of row_. Returns false, with the reason in rejected_, if the row does not fit.
  bool apply() {
    cells_.resize(model_->recipe().read_columns().size());
    for (std::size_t k = 0; k < cells_.size(); ++k) cells_[k] = table::Cell::of(row_.texts[k]);
    model_->recipe().apply(cells_, model_->state(), applied_);
    if (applied_.outcome != table::Applied::Outcome::rejected) return true;
    rejected_ = {row_.line, applied_.reason, applied_.column};
    return false;
  }

  // What the columns of the row's time hold, as they are written.
  std::string written_time() const {
    const std::vector<table::TimeColumns>& times = model_->recipe().times();
    if (times.empty()) return "";
    const std::vector<std::string>& read = model_->recipe().read_columns();
    std::string written;
    for (const std::size_t column : times.front().columns) {
      const auto found =
          std::find(read.begin(), read.end(), model_->recipe().columns()[column].name);
      const std::string& text = row_.texts[static_cast<std::size_t>(found - read.begin())];
      written += (written.empty() ? "" : " ") + std::string(trimmed(text));
    }
    return written;
  }

  // With a --max-age, what is older than the row learned last cannot be learned.
  bool runs_backwards() {
    if (!(model_->model().options().max_age > 0.0) || !applied_.target_known) return false;
    if (!(applied_.time < latest_time_)) return false;
    rejected_ = {row_.line,
                 fmt::format("the time {} is before {}, that of line {}; with --max-age times must "
                             "not decrease",
                             shown(written_time()), shown(latest_written_), latest_line_),
                 ""};
    return true;
  }

  void remember_time() {
    if (!(model_->model().options().max_age > 0.0)) return;
    latest_time_ = applied_.time;
    latest_written_ = written_time();
    latest_line_ = row_.line;
  }

  Fate process() {
    if (runs_backwards()) return Fate::rejected;
    try {
      table::take_row(model_->recipe(), model_->state(), applied_, *this, taken_);
    } catch (const NumericalError& error) {
      rejected_ = {row_.line, error.what(), ""};
      return Fate::rejected;
    } catch (const InvalidArgument& error) {
      const std::string time = written_time();
      const bool timed = model_->model().options().max_age > 0.0;
      rejected_ = {row_.line,
                   timed ? "the time " + shown(time) + ": " + error.what() : error.what(), ""};
      return Fate::rejected;
    }
    return taken_.fate;
  }

  const SplittingGp& model() const override { return model_->model(); }

  bool learn(std::span<const double> x, std::span<const double> y, double time,
             Prediction& before) override {
    if (flags_.test_only) {
      model().predict(vector_of(x), before);
      return false;
    }
    updated_ =
        model_->file().model().predict_then_update(vector_of(x), vector_of(y), before, 0.0, time);
    remember_time();
    return true;
  }

  void learn_answered(std::span<const double> x, std::span<const double> y, double time,
                      const Prediction& /*said*/) override {
    if (flags_.test_only) return;
    updated_ = model_->file().model().update(vector_of(x), vector_of(y), 0.0, time);
    remember_time();
  }

  static Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> values) {
    return {values.data(), std::ssize(values)};
  }

  // The row at hand; with a horizon its target is not known yet.
  ScoredRow& scored() {
    if (taken_.fate == Fate::waiting) {
      scored_.observed = Eigen::VectorXd::Constant(model().n_outputs(), kUnknown);
    } else {
      scored_.observed = vector_of(applied_.targets);
    }
    scored_.interval_known = taken_.interval_known;
    scored_.set_prediction(taken_.answer);
    return scored_;
  }

  // The one whose target it brought.
  ScoredRow& earlier() {
    scored_.observed = vector_of(applied_.targets);
    scored_.interval_known = taken_.said_interval_known;
    scored_.set_prediction(taken_.said);
    return scored_;
  }

  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  const StreamFlags& flags_;
  StopSignal stop_;
  Committing committing_;
  Reading reading_;
  Reporting reporting_;
  std::optional<StreamModel> model_;    // from the first input that is not empty
  std::optional<StreamRecord> record_;  // set when the model is
  Row row_;
  RejectedRow rejected_;
  std::vector<std::size_t> first_places_;  // of the columns of model_->first(), among row_'s texts
  std::vector<table::Cell> cells_;
  table::Applied applied_;
  table::TakenRow taken_;
  ScoredRow scored_;
  UpdateResult updated_;  // by row_; rejected only if it is an outlier
  // Of the row learned last, if there is a --max-age.
  double latest_time_ = -std::numeric_limits<double>::infinity();
  std::string latest_written_;
  std::uint64_t latest_line_ = 0;
};

}  // namespace

int run_stream(const StreamFlags& flags) {
  std::vector<NamedFile> read{{"--config", flags.config}};
  for (const std::string& path : flags.paths) read.push_back({"the input", path});
  std::vector<NamedFile> written = model_files(flags.model);
  written.push_back({"--predictions", flags.predictions});
  written.push_back({"--rejects", flags.rejects});
  written.push_back({"--events", flags.events});
  require_own_files(read, written);
  return StreamRun(flags).run();
}

}  // namespace splitgp
