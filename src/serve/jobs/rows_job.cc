#include "serve/jobs/rows_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "io/number.h"

namespace splitgp::serve {
namespace {

constexpr std::size_t kLongestId = 128;

using table::Fate;

Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> values) {
  return {values.data(), std::ssize(values)};
}

// A text that JSON would call a number. 007 is none, nor is a number of so many digits that others
// have the same double: those are rather names.
std::optional<double> number_in(const std::string& text) {
  constexpr std::size_t kExactDigits = 15;
  double number = 0.0;
  if (!is_json_number(text) || parse_number(text, '.', number)) return std::nullopt;
  const bool whole = text.find_first_of(".eE") == std::string::npos;
  if (whole && text.size() > kExactDigits) return std::nullopt;
  return number;
}

}  // namespace

RowsJob::RowsJob(RowsRequest request, std::string model_name, http::Reply reply)
    : ReplyJob(std::move(reply)), request_(std::move(request)), model_name_(std::move(model_name)) {
  const std::vector<std::string>& columns = request_.table.columns;
  by_name_.resize(columns.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::sort(by_name_.begin(), by_name_.end(),
            [&columns](std::size_t a, std::size_t b) { return columns[a] < columns[b]; });
}

std::string RowsJob::id_of(std::size_t row) const {
  return request_.id_column ? request_.table.rows[row][*request_.id_column] : "";
}

// The same for the same row, however it is written: in another order, as JSON or CSV, with 1.0 for
// 1, or beside rows that have more columns.
std::uint64_t RowsJob::fingerprint(std::size_t row) const {
  RowFingerprint print;
  for (const std::size_t column : by_name_) {
    const std::string& text = request_.table.rows[row][column];
    if (text.empty()) continue;
    print.add(request_.table.columns[column]);
    const std::optional<double> number = number_in(text);
    if (number) {
      print.add(*number);
    } else {
      print.add(text);
    }
  }
  return print.value();
}

// The rows that a recipe is found from. Ids are no input.
TableText RowsJob::without_ids() const {
  TableText table = request_.table;
  if (!request_.id_column) return table;
  const auto place = static_cast<std::ptrdiff_t>(*request_.id_column);
  table.columns.erase(table.columns.begin() + place);
  for (std::vector<std::string>& row : table.rows) row.erase(row.begin() + place);
  return table;
}

void RowsJob::check_ids(Workplace& work) const {
  if (!request_.id_column) return;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < rows(); ++i) {
    ids.push_back(id_of(i));
    if (ids.back().empty() || ids.back().size() > kLongestId) {
      throw RequestError(422, fmt::format("row {}: an id has 1 to {} bytes, not {}", i, kLongestId,
                                          ids.back().size()))
          .field(request_.table.columns[*request_.id_column])
          .row(i);
    }
    const std::optional<KeptAnswer> kept = work.ledger().answer_to(ids.back());
    if (kept && kept->fingerprint != 0 && kept->fingerprint != fingerprint(i)) {
      refuse_used_id(ids.back(), i);
    }
  }
  require_distinct(ids);
}

void RowsJob::work_on(Workplace& work) {
  if (work.model() == nullptr) {
    try {
      work.make_model(work.maker().from_rows(without_ids()));
    } catch (const RequestError&) {
      throw;
    } catch (const FileError&) {
      throw RequestError(503, "the model's file could not be made");
    } catch (const Error& error) {
      throw RequestError(422, error.what());
    }
  }
  CellMap cells(work.model()->recipe, request_.table.columns);
  check_ids(work);
  std::vector<std::string> results;
  for (std::size_t i = 0; i < rows(); ++i) {
    results.push_back(answer_of_row(work, id_of(i), [&] { return take_row(work, cells, i); }));
  }
  look_again(work);
  response().status = status_of(results);
  response().body = results_json(model_name_, results, unknown_columns(request_, *work.model()));
}

// With few rows so far, the columns may turn out to be something else. Rows that wait for a label
// have the inputs of now, so they hold that up.
void RowsJob::look_again(Workplace& work) {
  if (work.ledger().n_waiting() > 0) return;
  const ModelMaker::Change change = work.maker().look_again(*work.model());
  if (!change) return;
  work.exclusively([&] { change(*work.model()); });
  work.mark_changed();
}

std::string RowsJob::take_row(Workplace& work, CellMap& cells, std::size_t row) {
  const std::string id = id_of(row);
  if (!id.empty()) {
    if (const std::optional<KeptAnswer> kept = work.ledger().answer_to(id)) {
      work.count_repeated();
      return with_id(id, marked_repeated(kept->answer));
    }
  }
  ServedModel& model = *work.model();
  model.recipe.apply(cells.cells(request_.table.rows[row]), model.state, applied_);
  std::string result;
  keep_ = false;
  sequence_.reset();
  if (applied_.outcome == table::Applied::Outcome::rejected) {
    work.count_rejected(applied_.reason);
    result = rejected_json(applied_.reason, applied_.column);
  } else if (const std::optional<WaitingLabel> waiting =
                 id.empty() ? std::nullopt : work.ledger().waiting(id)) {
    result = take_again(work, id, *waiting);
  } else {
    result = process(work, id);
  }
  work.maker().add_row(request_.table.columns, request_.table.rows[row],
                       applied_.outcome != table::Applied::Outcome::rejected);
  if (id.empty()) return result;
  if (keep_) work.ledger().keep(id, {fingerprint(row), sequence_, result});
  return with_id(id, result);
}

// A row that was predicted before: its target has come, or the request is a repetition. Lags and
// means know the row already.
std::string RowsJob::take_again(Workplace& work, const std::string& id,
                                const WaitingLabel& waiting) {
  RowAnswer answer;
  Prediction said;
  unpack_said(waiting.said, work.model()->file.model().n_outputs(), said, answer.level,
              answer.interval_known);
  answer.prediction = &said;
  if (!applied_.target_known) {
    work.count_repeated();
    answer.waiting = true;
    return marked_repeated(answer.to_json());
  }
  work.learn(vector_of(waiting.inputs), vector_of(applied_.targets), 0.0, waiting.time, &said,
             outcome_);
  work.ledger().arrive(id);
  note_learned();
  answer.update = &outcome_.update;
  return answer.to_json();
}

void RowsJob::note_learned() {
  keep_ = true;
  if (!outcome_.update.rejected) sequence_ = outcome_.update.sequence;
}

// What take_row() asks of whoever learns.
class RowsJob::Pupil : public table::RowModel {
 public:
  Pupil(RowsJob& job, Workplace& work) : job_(job), work_(work) {}

  const SplittingGp& model() const override { return work_.model()->file.model(); }
  bool learn(std::span<const double> x, std::span<const double> y, double time,
             Prediction& before) override {
    learn(x, y, time, nullptr);
    std::swap(before, job_.outcome_.before);
    return true;
  }
  void learn_answered(std::span<const double> x, std::span<const double> y, double time,
                      const Prediction& said) override {
    learn(x, y, time, &said);
  }
  void change(const std::function<void()>& work) override { work_.exclusively(work); }

 private:
  void learn(std::span<const double> x, std::span<const double> y, double time,
             const Prediction* said) {
    work_.learn(vector_of(x), vector_of(y), 0.0, time, said, job_.outcome_);
    job_.note_learned();
  }

  RowsJob& job_;
  Workplace& work_;
};

std::string RowsJob::process(Workplace& work, const std::string& id) {
  ServedModel& model = *work.model();
  try {
    Pupil pupil(*this, work);
    table::take_row(model.recipe, model.state, applied_, pupil, taken_);
  } catch (const NumericalError& error) {
    work.count_rejected(error.what());
    return rejected_json(error.what(), "");
  } catch (const InvalidArgument& error) {
    work.count_rejected(error.what());
    return rejected_json(error.what(), "");
  }
  work.mark_changed();
  if (taken_.fate == Fate::early) work.count_early();
  if (taken_.fate == Fate::waiting) work.count_waiting(1);
  if (taken_.earlier != table::TakenRow::Earlier::none) work.count_waiting(-1);
  // Lags know the row from here on, so that it must not come again.
  if (taken_.fate != Fate::predicted) keep_ = true;
  return answer_of_taken(work, id);
}

RowAnswer RowsJob::answer_with(const Prediction& prediction, bool interval_known) const {
  RowAnswer answer;
  answer.prediction = &prediction;
  answer.level = request_.level;
  answer.interval_known = interval_known;
  return answer;
}

// A row without its target waits under its id.
std::string RowsJob::answer_of_taken(Workplace& work, const std::string& id) {
  const bool unlabelled = taken_.earlier == table::TakenRow::Earlier::without_target;
  if (unlabelled || taken_.fate == Fate::predicted) work.count_predicted();
  std::string result = "{\"early\":true}";
  if (taken_.fate != Fate::early) {
    RowAnswer answer = answer_with(taken_.answer, taken_.interval_known);
    answer.waiting = taken_.fate == Fate::waiting;
    if (taken_.fate == Fate::learned) answer.update = &outcome_.update;
    if (taken_.fate == Fate::predicted && !id.empty()) {
      answer.waiting = true;
      work.ledger().wait(id, {applied_.inputs, applied_.time,
                              pack_said(taken_.answer, 0, answer.level, answer.interval_known)});
    }
    result = answer.to_json();
  }
  if (taken_.earlier == table::TakenRow::Earlier::learned) {
    RowAnswer earlier;
    earlier.prediction = &taken_.said;
    earlier.interval_known = taken_.said_interval_known;
    earlier.update = &outcome_.update;
    result.pop_back();
    result += ",\"arrived\":" + earlier.to_json() + "}";
  }
  return result;
}

std::vector<std::string> unknown_columns(const RowsRequest& request, const ServedModel& model) {
  std::set<std::string_view> known;
  for (const table::Column& column : model.recipe.columns()) known.insert(column.name);
  if (request.id_column) known.insert(request.table.columns[*request.id_column]);
  std::vector<std::string> unknown;
  for (const std::string& column : request.table.columns) {
    if (!known.contains(column)) unknown.push_back(column);
  }
  return unknown;
}

std::vector<std::string> predict_rows(const RowsRequest& request, std::size_t first,
                                      std::size_t count, const ServedModel& model) {
  CellMap cells(model.recipe, request.table.columns);
  table::Applied applied;
  std::vector<std::string> results;
  for (std::size_t i = first; i < first + count; ++i) {
    model.recipe.apply(cells.cells(request.table.rows[i]), model.state, applied);
    if (applied.outcome == table::Applied::Outcome::rejected) {
      results.push_back(rejected_json(applied.reason, applied.column));
    } else if (applied.outcome == table::Applied::Outcome::early) {
      results.emplace_back("{\"early\":true}");
    } else {
      Prediction prediction =
          model.file.model().predict(vector_of(applied.inputs), model.recipe.rows_ahead());
      table::widen(prediction, 0, model.state.widening(applied));
      RowAnswer answer;
      answer.prediction = &prediction;
      answer.level = request.level;
      answer.interval_known = model.interval_known();
      results.push_back(answer.to_json());
    }
    if (request.id_column) {
      results.back() = with_id(request.table.rows[i][*request.id_column], results.back());
    }
  }
  return results;
}

}  // namespace splitgp::serve
