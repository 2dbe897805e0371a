#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "cli/exit_code.h"
#include "cli/stream/committing.h"
#include "cli/stream/open_model.h"
#include "cli/stream/reading.h"
#include "cli/stream/reporting.h"
#include "splitgp/error.h"

namespace splitgp {
namespace {

/// One run of `splitgp stream`: reads rows, learns each, commits and reports.
class StreamRun {
 public:
  explicit StreamRun(const StreamFlags& flags)
      : flags_(flags),
        committing_(flags, stop_),
        reading_(flags, stop_, committing_),
        reporting_(flags) {}

  int run() {
    model_ = open_model(flags_);
    Reading::End end = Reading::End::input;
    try {
      end = read_inputs();
    } catch (const FileError&) {
      throw;  // a commit failed: the file is as of the one before
    } catch (...) {
      finish();  // keep what was learned before the error
      throw;
    }
    if (model_ && end == Reading::End::input) model_->file().finish_training();
    if (record_) committing_.write_last_trainings();
    if (record_ && reading_.rows() == 0) committing_.make_file();
    finish();
    if (end == Reading::End::signal) return kInterrupted + stop_.received();
    return reporting_.learned_nothing() ? kBadRow : kSuccess;
  }

 private:
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
    if (!model_) {
      if (reading_.columns().empty()) {
        reporting_.warn(reading_.name() + ": the input is empty");
        return false;
      }
      model_ = new_model(flags_, reading_.columns(), reading_.name());
    }
    if (!record_) begin_record();
    const std::string problem = reading_.begin(*model_);
    if (!problem.empty()) reporting_.warn(problem);
    return problem.empty();
  }

  void begin_record() {
    // Checked before anything is printed or written. Flags may use column numbers of this input.
    const bool asks = !flags_.targets.empty() || !flags_.inputs.empty() || !flags_.ignored.empty();
    if (model_->has_file() && asks) {
      check_columns(model_->columns(), reading_.columns(), flags_.targets, flags_.inputs,
                    flags_.ignored, flags_.model);
    }
    const Eigen::Index outputs = model_->model().n_outputs();
    record_ = flags_.test_only ? StreamRecord(outputs)
                               : StreamRecord::load(outputs, [this](const std::string& key) {
                                   return model_->file().note(key);
                                 });
    reporting_.begin(*model_, *record_, reading_);
    committing_.begin(*model_, *record_, reading_);
  }

  void take_row(bool good) {
    // Not earlier: a file made with the wrong columns would be in the way when the command is
    // corrected. Not later: the row and its position must be committed together.
    if (good) committing_.make_file();
    updated_.rejected = false;
    good = good && learn();
    // This row is not counted, so that the next run, after a correction, starts with it.
    if (!good && flags_.strict && !updated_.rejected) {
      throw CommandError(kBadRow, fmt::format("{}: line {}: {}", reading_.name(), rejected_.line,
                                              rejected_.reason));
    }
    ++record_->rows_read;
    ++(good ? record_->learned : record_->rejected);
    reading_.count_row();
    if (good || updated_.rejected) {
      record_->scores.add(scored_, model_->model().n_local());
      committing_.write_prediction(scored_);
    }
    if (good) {
      if (!flags_.test_only) committing_.write_events(updated_);
      reporting_.add_learned();
    } else {
      committing_.write_rejected(rejected_, updated_.rejected ? &updated_ : nullptr);
      reporting_.add_rejected(rejected_);
    }
    committing_.count_row();
    reporting_.show_progress();
  }

  // Predicts row_ into scored_, then learns it. Returns false, with the reason in rejected_, if it
  // cannot be learned.
  bool learn() {
    const SplittingGp& model = model_->model();
    const Eigen::Index inputs = model.n_inputs();
    const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(row_.numbers.data(), inputs);
    scored_.observed =
        Eigen::Map<const Eigen::VectorXd>(row_.numbers.data() + inputs, model.n_outputs());
    try {
      scored_.interval_known =
          model.options().training == Training::off || !model.training_history().empty();
      if (flags_.test_only) {
        model.predict(x, prediction_);
      } else {
        updated_ = model_->file().predict_then_update(x, scored_.observed, prediction_, 0.0,
                                                      time_of_row());
      }
      scored_.set_prediction(prediction_);
    } catch (const NumericalError& error) {
      rejected_ = {row_.line, error.what(), ""};
      return false;
    } catch (const InvalidArgument& error) {
      rejected_ = {row_.line, error.what(), ""};
      return false;
    }
    if (!updated_.rejected) return true;
    const auto most = std::max_element(
        updated_.innovation.begin(), updated_.innovation.end(),
        [](const Innovation& a, const Innovation& b) { return std::abs(a.z) < std::abs(b.z); });
    rejected_ = {
        row_.line,
        fmt::format("an outlier: it is {:.3g} standard deviations from what was expected", most->z),
        ""};
    return false;
  }

  // When row_ was observed; Reading selects the column after all others.
  double time_of_row() const { return flags_.time_column.empty() ? kNoTime : row_.numbers.back(); }

  const StreamFlags& flags_;
  StopSignal stop_;
  Committing committing_;
  Reading reading_;
  Reporting reporting_;
  std::optional<StreamModel> model_;    // from the first input that is not empty
  std::optional<StreamRecord> record_;  // set when the model is
  Row row_;
  RejectedRow rejected_;
  ScoredRow scored_;
  Prediction prediction_;
  UpdateResult updated_;  // by row_; rejected only if it is an outlier
};

}  // namespace

int run_stream(const StreamFlags& flags) { return StreamRun(flags).run(); }

}  // namespace splitgp
