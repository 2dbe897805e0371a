// When the work of a stream becomes durable, and what is said at its end.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/stream/run.h"

namespace splitgp {

double StreamRun::busy_seconds() const {
  const double waited = waited_before_ + (input_ != nullptr ? input_->waited_seconds() : 0.0);
  return std::chrono::duration<double>(Clock::now() - start_).count() - waited;
}

std::optional<double> StreamRun::share_read() const {
  if (!bytes_total_ || *bytes_total_ == 0 || input_ == nullptr) return std::nullopt;
  const auto read = static_cast<double>(bytes_before_ + input_->position());
  return std::min(1.0, read / static_cast<double>(*bytes_total_));
}

void StreamRun::flush_files() {
  if (predictions_) predictions_->flush();
  if (rejects_) rejects_->flush();
}

void StreamRun::commit() {
  flush_files();  // first: a resumed run cuts off what is too much, but cannot make up what is lost
  record_->seconds = record_seconds_at_start_ + busy_seconds();
  if (!flags_.test_only) {
    record_->save([this](const std::string& key, std::string text) {
      model_->set_note(key, std::move(text));
    });
    std::vector<SourcePosition> positions;
    for (const auto& [source, rows] : positions_) positions.push_back({source, rows});
    model_->commit(positions);
  }
  rows_since_commit_ = 0;
  last_commit_ = Clock::now();
}

void StreamRun::commit_if_due() {
  if (!model_->has_file()) return;
  if (rows_since_commit_ >= flags_.batch ||
      std::chrono::duration<double>(Clock::now() - last_commit_).count() >= flags_.commit_every) {
    commit();
  }
}

void StreamRun::before_wait() { flush_files(); }

int StreamRun::milliseconds_to_idle() {
  if (rows_since_commit_ == 0 || !model_ || !model_->has_file()) return -1;
  const double left =
      flags_.commit_every - std::chrono::duration<double>(Clock::now() - last_commit_).count();
  return static_cast<int>(std::ceil(1000.0 * std::clamp(left, 0.0, 3600.0)));
}

void StreamRun::idle() {
  if (rows_since_commit_ > 0 && model_) commit_if_due();
}

void StreamRun::print_summary() {
  progress_.clear();
  const double seconds = busy_seconds();
  const SplittingGp& model = model_->model();
  if (record_->scores.rows() > 0) {
    ScoreLine last = record_->scores.line(model.n_local());
    last.rows_per_second = seconds > 0.0 ? static_cast<double>(rows_this_run_) / seconds : 0.0;
    table_->print_rule();
    table_->print(last);
  }
  const auto& outputs = model_->columns().outputs;
  for (std::size_t o = 0; outputs.size() > 1 && o < outputs.size(); ++o) {
    const OutputScore& score = record_->scores.outputs()[o];
    const auto index = static_cast<Eigen::Index>(o);
    fmt::print(
        table_to_, "  {}: RMSE {}, recent {}, sd {}, NLPD {}, 95 % interval covers {:.1f} %\n",
        outputs[o], short_number(score.rmse()), short_number(record_->scores.recent_rmse(index)),
        short_number(record_->scores.spread(index)), short_number(score.mean_nlpd()),
        100.0 * score.coverage());
  }
  fmt::print(table_to_, "read {}: {} {}, {} rejected; {:.1f} s", counted(rows_this_run_, "row"),
             with_separators(learned_this_run_), flags_.test_only ? "tested" : "learned",
             with_separators(rejected_this_run_), seconds);
  if (skipped_ > 0) {
    fmt::print(table_to_, "; {} {} read before", with_separators(skipped_),
               skipped_ == 1 ? "was" : "were");
  }
  if (model_->has_file()) {
    fmt::print(table_to_, "; model in {}", flags_.model);
  } else if (!flags_.model.empty()) {
    fmt::print(table_to_, "; no model is made");
  }
  fmt::print(table_to_, "\n");
  std::fflush(table_to_);
  if (rejected_this_run_ > 0) print_rejections();
}

void StreamRun::print_rejections() const {
  const std::vector<std::string>& inputs = model_->columns().inputs;
  // A model that is in a file has its columns for good.
  const bool can_be_ignored =
      learned_nothing() && !model_->has_file() && inputs.size() > 1 &&
      std::find(inputs.begin(), inputs.end(), first_rejected_column_) != inputs.end();
  fmt::print(stderr, "splitgp: {} rejected, the first at {}{}\n",
             counted(rejected_this_run_, "row"), first_rejection_,
             can_be_ignored ? "; columns that are no numbers can be left out with --ignore" : "");
}

}  // namespace splitgp
