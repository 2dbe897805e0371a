#include "cli/stream/committing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/stream/open_model.h"

namespace splitgp {

void Committing::begin(StreamModel& model, StreamRecord& record, const Reading& reading) {
  model_ = &model;
  record_ = &record;
  reading_ = &reading;
  seconds_before_ = record.seconds;
  const auto after = record.rows_read > 0 ? std::optional(record.rows_read) : std::nullopt;
  if (!flags_.predictions.empty()) {
    const std::vector<std::string>& outputs = model.columns().outputs;
    line_.add("row");
    for (const std::string& name : outputs) {
      for (const char* part : {"mean", "sd", "lower", "upper", "observed", "z"}) {
        line_.add(outputs.size() == 1 ? part : name + "_" + part);
      }
    }
    predictions_ = std::make_unique<RowFile>(flags_.predictions, line_.take(), after);
  }
  if (!flags_.rejects.empty()) {
    rejects_ = std::make_unique<RowFile>(flags_.rejects, "row,source,line,reason\n", after);
  }
  if (!flags_.events.empty()) {
    events_ = std::make_unique<Events>(flags_.events, model, after);
  }
}

void Committing::make_file() {
  if (flags_.model.empty() || model_->has_file()) return;
  model_->make_file(flags_.model, durability_of(flags_));
}

void Committing::write_prediction(const ScoredRow& row) {
  if (!predictions_) return;
  line_.add_count(record_->rows_read);
  for (Eigen::Index o = 0; o < row.mean.size(); ++o) {
    line_.add(row.mean(o));
    line_.add(row.standard_deviation(o));
    line_.add(row.mean(o) - row.half_width(o));
    line_.add(row.mean(o) + row.half_width(o));
    if (std::isnan(row.observed(o))) {
      line_.add("");
      line_.add("");
    } else {
      line_.add(row.observed(o));
      line_.add((row.observed(o) - row.mean(o)) / row.standard_deviation(o));
    }
  }
  predictions_->write(line_.take());
}

void Committing::write_rejected(const RejectedRow& rejected, const UpdateResult* outlier) {
  if (events_) {
    events_->add_rejected(record_->rows_read, reading_->source(), rejected.line, rejected.reason,
                          outlier);
  }
  if (!rejects_) return;
  line_.add_count(record_->rows_read);
  line_.add(reading_->source());
  line_.add_count(rejected.line);
  line_.add(rejected.reason);
  rejects_->write(line_.take());
}

void Committing::write_events(const UpdateResult& result) {
  if (events_) events_->add(record_->rows_read, result);
}

void Committing::write_last_trainings() {
  if (events_) events_->add_trainings(record_->rows_read);
}

void Committing::begin_anew() {
  if (events_) events_->begin_anew();
}

void Committing::count_row() {
  ++rows_since_commit_;
  commit_if_due();
}

void Committing::commit() {
  flush_files();
  record_->seconds = seconds_before_ + reading_->busy_seconds();
  if (!flags_.test_only) {
    record_->save([this](const std::string& key, std::string text) {
      model_->file().set_note(key, std::move(text));
    });
    model_->save_state();
    std::vector<SourcePosition> positions;
    for (const auto& [source, read] : reading_->sources()) {
      positions.push_back({source, read.rows});
      if (read.rows == 0 || read.front.bytes() == saved_fronts_[source]) continue;
      model_->set_front(source, read.front);
      saved_fronts_[source] = read.front.bytes();
    }
    model_->file().checkpoint(positions);
  }
  rows_since_commit_ = 0;
  last_commit_ = Clock::now();
}

double Committing::seconds_to_commit() const {
  const std::chrono::duration<double> passed = Clock::now() - last_commit_;
  return flags_.commit_every - passed.count();
}

void Committing::commit_if_due() {
  if (rows_since_commit_ == 0 || !model_->has_file()) return;
  if (rows_since_commit_ >= flags_.batch || seconds_to_commit() <= 0.0) commit();
}

int Committing::milliseconds_to_idle() {
  if (rows_since_commit_ == 0 || !model_->has_file()) return -1;
  return static_cast<int>(std::ceil(1000.0 * std::clamp(seconds_to_commit(), 0.0, 3600.0)));
}

void Committing::flush_files() {
  if (predictions_) predictions_->flush();
  if (rejects_) rejects_->flush();
  if (events_) events_->flush();
}

}  // namespace splitgp
