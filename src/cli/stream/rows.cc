// What stream does with one row.
#include <fmt/format.h>

#include "cli/stream/run.h"

namespace splitgp {

using Eigen::Index;

bool StreamRun::learn(const Row& row, RejectedRow& rejected) {
  SplittingGp& model = model_->model();
  const Index inputs = model.n_inputs();
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(row.numbers.data(), inputs);
  ScoredRow scored;
  scored.observed =
      Eigen::Map<const Eigen::VectorXd>(row.numbers.data() + inputs, model.n_outputs());
  try {
    model.wake(x);
    const Prediction prediction = model.predict(x);
    scored.mean = prediction.mean.col(0);
    scored.standard_deviation =
        (prediction.variance.col(0) + prediction.noise_variance.col(0)).cwiseSqrt();
    scored.interval_known =
        model.options().training == Training::off || !model.training_history().empty();
    if (!flags_.test_only) model_->append(x, scored.observed);
  } catch (const NumericalError& error) {
    rejected = {row.line, error.what(), ""};
    return false;
  } catch (const InvalidArgument& error) {
    rejected = {row.line, error.what(), ""};
    return false;
  }
  ++record_->rows_read;
  ++record_->learned;
  ++learned_this_run_;
  record_->scores.add(scored, model.n_local());
  if (predictions_) write_prediction(scored);
  return true;
}

void StreamRun::write_prediction(const ScoredRow& row) {
  line_.add_count(record_->rows_read);
  for (Index o = 0; o < row.mean.size(); ++o) {
    const double half = kInterval95 * row.standard_deviation(o);
    line_.add(row.mean(o));
    line_.add(row.standard_deviation(o));
    line_.add(row.mean(o) - half);
    line_.add(row.mean(o) + half);
    line_.add(row.observed(o));
  }
  predictions_->write(line_.take());
}

void StreamRun::reject(const RejectedRow& rejected, const std::string& source) {
  ++record_->rows_read;
  ++record_->rejected;
  if (++rejected_this_run_ == 1) {
    first_rejection_ =
        fmt::format("{}: line {}: {}", input_->name(), rejected.line, rejected.reason);
    first_rejected_column_ = rejected.column;
  }
  if (!rejects_) return;
  line_.add_count(record_->rows_read);
  line_.add(source);
  line_.add_count(rejected.line);
  line_.add(rejected.reason);
  rejects_->write(line_.take());
}

void StreamRun::add_to_table() {
  ScoreLine line = record_->scores.line(model_->model().n_local());
  const double seconds = busy_seconds();
  const auto rows = static_cast<double>(line.rows - table_rows_);
  // The first few rows are over too soon to be timed.
  if (seconds > table_seconds_ && line.rows > 16) {
    line.rows_per_second = rows / (seconds - table_seconds_);
  }
  table_seconds_ = seconds;
  table_rows_ = line.rows;
  record_->table.push_back(line);
  progress_.clear();
  table_->print(line);
}

}  // namespace splitgp
