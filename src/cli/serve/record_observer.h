#pragma once

#include <chrono>
#include <optional>

#include "cli/stream/record.h"
#include "serve/observer.h"

namespace splitgp {

/// Keeps the record that `splitgp stream` keeps, so that `report` and `inspect` know what a server
/// has learned, and a stream continues where it ended. Counts of rows are written with the rows.
/// Scores are written once a second: they are larger than a row. A server that is killed may lose
/// that second of them, and nothing else.
class RecordObserver : public serve::Observer {
 public:
  void began(const ModelFile& file) override;
  void learned(const serve::LearnedRow& row) override;
  void rejected(const std::string& reason) override;
  void predicted() override;
  void early() override;
  void waiting(int more) override;
  void forgot(const ForgetResult& result) override;
  void before_commit(ModelFile& file) override;
  bool unsaved() const override { return changed_; }
  void ending() override { ending_ = true; }

 private:
  std::optional<StreamRecord> record_;
  ScoredRow scored_;
  std::chrono::steady_clock::time_point line_time_;
  std::uint64_t line_rows_ = 0;
  bool changed_ = false;
  bool forgot_ = false;
  bool ending_ = false;
  std::chrono::steady_clock::time_point saved_;
};

}  // namespace splitgp
