#include "cli/serve/record_observer.h"

namespace splitgp {

void RecordObserver::began(const ModelFile& file) {
  record_ = StreamRecord::load(file.model().n_outputs(),
                               [&file](const std::string& key) { return file.note(key); });
  line_time_ = std::chrono::steady_clock::now();
  line_rows_ = record_->scores.rows();
}

void RecordObserver::learned(const serve::LearnedRow& row) {
  changed_ = true;
  ++record_->rows_read;
  ++(row.rejected ? record_->rejected : record_->learned);
  scored_.observed =
      Eigen::Map<const Eigen::VectorXd>(row.y.data(), static_cast<Eigen::Index>(row.y.size()));
  scored_.interval_known = row.interval_known;
  scored_.set_prediction(*row.prediction);
  record_->scores.add(scored_, row.local_gps);
  if (!record_->scores.at_power_of_two()) return;
  ScoreLine line = record_->scores.line(row.local_gps);
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - line_time_).count();
  const auto rows = static_cast<double>(record_->scores.rows() - line_rows_);
  line.rows_per_second = seconds > 0.0 ? rows / seconds : 0.0;
  record_->table.push_back(line);
  line_time_ = now;
  line_rows_ = record_->scores.rows();
}

void RecordObserver::rejected(const std::string&) {
  if (!record_) return;
  changed_ = true;
  ++record_->rows_read;
  ++record_->rejected;
}

void RecordObserver::predicted() {
  changed_ = true;
  ++record_->rows_read;
  ++record_->predicted;
}

void RecordObserver::early() {
  changed_ = true;
  ++record_->rows_read;
  ++record_->early;
}

// A row is read when it begins to wait, and not again when it is learned.
void RecordObserver::waiting(int more) {
  changed_ = true;
  record_->rows_read += static_cast<std::uint64_t>(more);
}

void RecordObserver::forgot(const ForgetResult&) { forgot_ = true; }

void RecordObserver::before_commit(ModelFile& file) {
  if (!record_ || !(changed_ || forgot_)) return;
  const auto now = std::chrono::steady_clock::now();
  const auto set_note = [&file](const std::string& key, std::string text) {
    file.set_note(key, std::move(text));
  };
  if (!forgot_ && !ending_ && now - saved_ < std::chrono::seconds(1)) {
    return record_->save_counts(set_note);
  }
  saved_ = now;
  record_->save(set_note);
  changed_ = false;
  if (!forgot_) return;
  // The sample has what was observed: what the model no longer holds goes from it too.
  drop_forgotten(file);
  forgot_ = false;
  record_ = StreamRecord::load(file.model().n_outputs(),
                               [&file](const std::string& key) { return file.note(key); });
}

}  // namespace splitgp
