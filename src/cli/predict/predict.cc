#include "cli/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/columns.h"
#include "cli/exit_code.h"
#include "cli/own_files.h"
#include "cli/predict/prediction_writer.h"
#include "cli/recipe_of.h"
#include "cli/row_file.h"
#include "cli/scores/score_table.h"
#include "cli/scores/scores.h"
#include "io/csv_writer.h"
#include "io/printable.h"
#include "splitgp/model_file.h"
#include "table/state.h"

namespace splitgp {

using Eigen::Index;

namespace {

constexpr Index kBatch = 1024;

// Rows are predicted in batches, and immediately when the input makes us wait.
class PredictRun : private Waiter {
 public:
  explicit PredictRun(const PredictFlags& flags)
      : flags_(flags),
        loaded_(load(flags.model)),
        recipe_(recipe_of(loaded_, flags.input_flags)),
        state_(table::RecipeState::load(recipe_,
                                        [this](const std::string& key) {
                                          const auto found = loaded_.notes.find(key);
                                          return found == loaded_.notes.end()
                                                     ? std::nullopt
                                                     : std::optional(found->second);
                                        })),
        fixed_ahead_(fixed_ahead()) {
    loaded_.model.set_threads(flags.threads);
  }

  int run() {
    const OpenRows rows = open_rows(flags_.path, flags_.input_flags.options(), this);
    if (rows.reader->columns().empty()) {
      fmt::print(stderr, "splitgp: {}: the input is empty\n", printable(rows.source->name()));
      return kSuccess;
    }
    const bool json = flags_.to == "ndjson" || (flags_.to.empty() && named_like_ndjson());
    const std::vector<std::string> kept = kept_columns(rows.reader->columns());
    ColumnSelection selection{{}, kept, json};
    select_cells(rows.reader->columns(), selection);
    writer_.emplace(json, kept, recipe_.target_names(),
                    flags_.gradient ? recipe_.input_names() : std::vector<std::string>());
    rows.reader->select(std::move(selection));
    output_ = std::make_unique<RowFile>(flags_.output, writer_->header(), std::nullopt);
    if (!flags_.rejects.empty()) {
      rejects_ =
          std::make_unique<RowFile>(flags_.rejects, "row,source,line,reason\n", std::nullopt);
    }
    inputs_.resize(loaded_.model.n_inputs(), kBatch);
    ahead_.resize(kBatch);
    return read(*rows.reader, rows.source->name()) ? kSuccess : kBadRow;
  }

 private:
  // A column that the header has twice cannot be told from its namesake, and is left out unless it
  // is asked for.
  std::vector<std::string> kept_columns(const std::vector<std::string>& columns) const {
    if (flags_.kept.size() == 1 && flags_.kept.front() == "none") return {};
    const ColumnPlaces header(columns);
    if (!flags_.kept.empty()) {
      std::vector<std::string> kept = find_columns("--keep", flags_.kept, columns);
      for (const std::string& name : kept) require_once(header, name);
      return kept;
    }
    std::vector<std::string> kept, repeated;
    for (const std::string& name : columns) {
      (header.repeated(name) ? repeated : kept).push_back(name);
    }
    if (!repeated.empty()) {
      fmt::print(stderr, "splitgp: the header has column {} twice, so it is not copied\n",
                 shown(repeated.front()));
    }
    return kept;
  }

  // Cells come from columns that are kept too, or are read in addition. A target may be missing: it
  // is what is wanted. Without an input no row could be predicted: fail now.
  void select_cells(const std::vector<std::string>& columns, ColumnSelection& selection) {
    const ColumnPlaces header(columns);
    for (const std::string& name : recipe_.used_columns()) {
      find_column("the model's inputs", name, columns, header);
      require_once(header, name);
    }
    const std::vector<std::string> kept = selection.texts;
    const ColumnPlaces kept_places(kept);
    for (const std::string& name : recipe_.read_columns()) {
      if (!header.has(name) || header.repeated(name)) {
        places_.push_back(std::nullopt);
        continue;
      }
      std::optional<std::size_t> place = kept_places.find(name);
      if (!place) {
        place = selection.texts.size();
        selection.texts.push_back(name);
      }
      places_.push_back(place);
    }
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
      if (next == RowReader::Next::row && apply(row, rejected)) {
        inputs_.col(std::ssize(cells_)) =
            Eigen::Map<const Eigen::VectorXd>(applied_.inputs.data(), std::ssize(applied_.inputs));
        widenings_.push_back(state_.widening(applied_));
        ahead_(std::ssize(cells_)) = next_ahead();
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

  // Makes applied_ of the row, and remembers what later rows need of it. Returns false, with the
  // reason, if it cannot be predicted.
  bool apply(const Row& row, RejectedRow& rejected) {
    table_cells_.resize(places_.size());
    unquoted_.resize(places_.size());
    for (std::size_t k = 0; k < places_.size(); ++k) {
      table_cells_[k] = places_[k] ? cell_of(row, *places_[k], unquoted_[k]) : table::Cell{};
    }
    recipe_.apply(table_cells_, state_, applied_);
    rejected.line = row.line;
    rejected.column = applied_.column;
    rejected.reason = applied_.reason;
    if (applied_.outcome == table::Applied::Outcome::rejected) return false;
    state_.take(recipe_, applied_);
    if (applied_.outcome == table::Applied::Outcome::ready) return true;
    rejected.reason =
        "the row is too early for the lags: the model has not seen enough rows before it";
    return false;
  }

  // How many rows of the stream after the last one that was learned this row is.
  double next_ahead() {
    ++answered_;
    if (fixed_ahead_) return *fixed_ahead_;
    return static_cast<double>(answered_) + recipe_.rows_ahead() - 1;
  }

  // Empty: each row is one later than the one before it.
  std::optional<double> fixed_ahead() const {
    const std::string& text = flags_.ahead;
    if (text == "rows" || (text.empty() && !recipe_.times().empty())) return std::nullopt;
    if (text.empty()) return recipe_.rows_ahead();
    if (text == "unknown") return Ahead::kUnknown;
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() ||
        !(number >= 1.0 && number <= 1e15)) {
      throw CommandError(kUsage, "--ahead is '" + text +
                                     "'; it must be a number of rows from 1, 'rows' or 'unknown'");
    }
    return number + recipe_.rows_ahead() - 1;
  }

  static table::Cell cell_of(const Row& row, std::size_t place, std::string& unquoted) {
    if (!row.json_texts) return table::Cell::of(row.texts[place]);
    const nlohmann::json value = nlohmann::json::parse(row.texts[place], nullptr, false);
    if (value.is_null()) return {};
    unquoted = value.is_string() ? value.get<std::string>() : row.texts[place];
    return table::Cell::of(unquoted);
  }

  void predict() {
    const Index count = std::ssize(cells_);
    if (count == 0) return;
    const Ahead ahead(ahead_.data(), count);
    PredictionGradient prediction;
    if (flags_.gradient) {
      loaded_.model.predict_gradient(inputs_.leftCols(count), prediction, ahead);
    } else {
      prediction.mean_gradient.resize(0, count);
      loaded_.model.predict(inputs_.leftCols(count), prediction, ahead);
    }
    for (Index j = 0; j < count; ++j) {
      table::widen(prediction, j, widenings_[static_cast<std::size_t>(j)]);
    }
    widenings_.clear();
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
  table::Recipe recipe_;
  table::RecipeState state_;
  std::vector<std::optional<std::size_t>> places_;  // of the recipe's cells, in a row's texts
  std::vector<table::Cell> table_cells_;
  std::vector<std::string> unquoted_;  // what they point to, for JSON
  table::Applied applied_;
  std::optional<PredictionWriter> writer_;
  std::unique_ptr<RowFile> output_;
  std::unique_ptr<RowFile> rejects_;
  Eigen::MatrixXd inputs_;
  std::vector<std::vector<std::string>> cells_;
  std::vector<double> widenings_;  // of each row in cells_
  Eigen::VectorXd ahead_;          // the same
  std::optional<double> fixed_ahead_;
  std::uint64_t answered_ = 0;
};

}  // namespace

int run_predict(const PredictFlags& flags) {
  std::vector<NamedFile> read = model_files(flags.model);
  read.push_back({"the input", flags.path});
  require_own_files(read, {{"--output", flags.output}, {"--rejects", flags.rejects}});
  return PredictRun(flags).run();
}

}  // namespace splitgp
