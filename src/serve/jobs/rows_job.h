#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serve/jobs/reply_job.h"
#include "serve/protocol/row_answer.h"
#include "serve/protocol/table_text.h"

namespace splitgp::serve {

struct RowsRequest {
  TableText table;
  std::optional<std::size_t> id_column;
  double level = 0.95;
};

/// `rows`: each row of a table is predicted, and learned if its target is there, as `splitgp
/// stream` does it.
class RowsJob : public ReplyJob {
 public:
  RowsJob(RowsRequest request, std::string model_name, http::Reply reply);
  std::size_t rows() const override { return request_.table.rows.size(); }
  std::size_t bytes() const override { return rows() * (request_.table.columns.size() * 40 + 64); }

 private:
  void work_on(Workplace& work) override;
  TableText without_ids() const;
  void check_ids(Workplace& work) const;
  std::string take_row(Workplace& work, CellMap& cells, std::size_t row);
  void look_again(Workplace& work);
  std::string take_again(Workplace& work, const std::string& id, const WaitingLabel& waiting);
  std::string process(Workplace& work, const std::string& id);
  class Pupil;
  void note_learned();
  std::string answer_of_taken(Workplace& work, const std::string& id);
  RowAnswer answer_with(const Prediction& prediction, bool interval_known) const;
  std::string id_of(std::size_t row) const;
  std::uint64_t fingerprint(std::size_t row) const;

  RowsRequest request_;
  std::string model_name_;
  std::vector<std::size_t> by_name_;  // the columns in the order of their names
  table::Applied applied_;
  table::TakenRow taken_;
  LearnOutcome outcome_;
  // Of the row at hand: whether its id is to be kept, and what number it got.
  bool keep_ = false;
  std::optional<std::uint64_t> sequence_;
};

/// The columns of the request that the model was made without, so that nothing reads them.
std::vector<std::string> unknown_columns(const RowsRequest& request, const ServedModel& model);

/// Some of the same rows predicted alone: nothing is learned or remembered. REQUIRES: the model is
/// held.
std::vector<std::string> predict_rows(const RowsRequest& request, std::size_t first,
                                      std::size_t count, const ServedModel& model);

}  // namespace splitgp::serve
