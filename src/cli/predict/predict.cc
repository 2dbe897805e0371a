#include "cli/predict/predict.h"

#include <fmt/format.h>

#include <memory>

#include "cli/columns.h"
#include "cli/exit_code.h"
#include "cli/predict/prediction_writer.h"
#include "cli/row_file.h"
#include "cli/scores/score_table.h"
#include "cli/scores/scores.h"
#include "io/csv_writer.h"
#include "io/printable.h"
#include "splitgp/model_file.h"

namespace splitgp {

using Eigen::Index;

namespace {

constexpr Index kBatch = 1024;

// Rows are predicted in batches, and immediately when the input makes us wait.
class PredictRun : private Waiter {
 public:
  explicit PredictRun(const PredictFlags& flags)
      : flags_(flags), loaded_(load(flags.model)), columns_(columns_of(loaded_)) {
    loaded_.model.set_threads(flags.threads);
  }

  int run() {
    const OpenRows rows = open_rows(flags_.path, flags_.input_flags.options(), this);
    if (rows.reader->columns().empty()) {
      fmt::print(stderr, "splitgp: {}: the input is empty\n", printable(rows.source->name()));
      return kSuccess;
    }
    const bool json = flags_.to == "ndjson" || (flags_.to.empty() && named_like_ndjson());
    ColumnSelection selection{columns_.inputs, kept_columns(rows.reader->columns()), json};
    // If an input is missing, no row could be predicted: fail now.
    find_columns("the model's inputs", columns_.inputs, rows.reader->columns());
    writer_.emplace(json, selection.texts, columns_.outputs,
                    flags_.gradient ? columns_.inputs : std::vector<std::string>());
    rows.reader->select(std::move(selection));
    output_ = std::make_unique<RowFile>(flags_.output, writer_->header(), std::nullopt);
    if (!flags_.rejects.empty()) {
      rejects_ =
          std::make_unique<RowFile>(flags_.rejects, "row,source,line,reason\n", std::nullopt);
    }
    inputs_.resize(loaded_.model.n_inputs(), kBatch);
    return read(*rows.reader, rows.source->name()) ? kSuccess : kBadRow;
  }

 private:
  std::vector<std::string> kept_columns(const std::vector<std::string>& columns) const {
    if (flags_.kept.empty()) return columns;
    if (flags_.kept.size() == 1 && flags_.kept.front() == "none") return {};
    return find_columns("--keep", flags_.kept, columns);
  }

  bool named_like_ndjson() const {
    return flags_.output.ends_with(".ndjson") || flags_.output.ends_with(".jsonl");
  }

  // Returns false if there were rows and every one was rejected.
  bool read(RowReader& reader, const std::string& name) {
    Row row;
    RejectedRow rejected;
    std::uint64_t number = 0;
    std::uint64_t n_rejected = 0;
    std::string first;
    while (true) {
      const RowReader::Next next = reader.next(row, rejected);
      if (next == RowReader::Next::end) break;
      ++number;
      if (next == RowReader::Next::row) {
        inputs_.col(std::ssize(cells_)) =
            Eigen::Map<const Eigen::VectorXd>(row.numbers.data(), std::ssize(row.numbers));
        cells_.push_back(writer_->cells(row));
        if (std::ssize(cells_) == kBatch) predict();
        continue;
      }
      const std::string what = fmt::format("{}: line {}: {}", name, rejected.line, rejected.reason);
      if (flags_.strict) {
        before_wait();
        throw CommandError(kBadRow, what);
      }
      if (++n_rejected == 1) first = what;
      if (rejects_) {
        CsvLine line;
        line.add_count(number);
        line.add(name);
        line.add_count(rejected.line);
        line.add(rejected.reason);
        rejects_->write(line.take());
      }
    }
    before_wait();
    if (n_rejected > 0) {
      fmt::print(stderr, "splitgp: {} of {} rejected, the first at {}\n",
                 with_separators(n_rejected), counted(number, "row"), printable(first));
    }
    return number == 0 || n_rejected < number;
  }

  void predict() {
    const Index count = std::ssize(cells_);
    if (count == 0) return;
    PredictionGradient prediction;
    if (flags_.gradient) {
      loaded_.model.predict_gradient(inputs_.leftCols(count), prediction);
    } else {
      prediction.mean_gradient.resize(0, count);
      loaded_.model.predict(inputs_.leftCols(count), prediction);
    }
    const Eigen::MatrixXd sd = (prediction.variance + prediction.noise_variance).cwiseSqrt();
    const Interval interval = prediction.interval(kIntervalLevel);
    for (Index j = 0; j < count; ++j) {
      output_->write(writer_->line(cells_[static_cast<std::size_t>(j)], prediction.mean.col(j),
                                   sd.col(j), interval.lower.col(j), interval.upper.col(j),
                                   prediction.mean_gradient.col(j)));
    }
    cells_.clear();
  }

  void before_wait() override {
    if (!output_) return;
    predict();
    output_->flush();
    if (rejects_) rejects_->flush();
  }
  int milliseconds_to_idle() override { return -1; }
  void idle() override {}
  int end_descriptor() const override { return -1; }

  const PredictFlags& flags_;
  LoadedModel loaded_;
  ObservationColumns columns_;
  std::optional<PredictionWriter> writer_;
  std::unique_ptr<RowFile> output_;
  std::unique_ptr<RowFile> rejects_;
  Eigen::MatrixXd inputs_;
  std::vector<std::vector<std::string>> cells_;
};

}  // namespace

int run_predict(const PredictFlags& flags) { return PredictRun(flags).run(); }

}  // namespace splitgp
