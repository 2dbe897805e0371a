#include "serve/jobs/learn_job.h"

#include <fmt/format.h>

#include "serve/protocol/row_answer.h"

namespace splitgp::serve {

std::size_t LearnJob::bytes() const {
  std::size_t count = static_cast<std::size_t>(rows_.x.size() + rows_.y.size() +
                                               rows_.noise_variance.size() + rows_.time.size()) *
                      sizeof(double);
  for (const std::string& id : rows_.ids) count += sizeof id + id.capacity();
  return count;
}

std::uint64_t LearnJob::fingerprint(Eigen::Index row) const {
  RowFingerprint print;
  if (rows_.x.cols() > 0) {
    for (Eigen::Index k = 0; k < rows_.x.rows(); ++k) print.add(rows_.x(k, row));
  }
  for (Eigen::Index o = 0; o < rows_.y.rows(); ++o) print.add(rows_.y(o, row));
  return print.value();
}

void LearnJob::check_shape(const ServedModel& model) const {
  const SplittingGp& gp = model.file.model();
  if (rows_.x.cols() > 0 && rows_.x.rows() != gp.n_inputs()) {
    throw RequestError(
        422, fmt::format("x: {} columns; the model has {} inputs", rows_.x.rows(), gp.n_inputs()))
        .field("x");
  }
  if (rows_.y.rows() != gp.n_outputs()) {
    throw RequestError(
        422, fmt::format("y: {} columns; the model has {} outputs", rows_.y.rows(), gp.n_outputs()))
        .field("y");
  }
  if (gp.options().max_age > 0.0 && rows_.x.cols() > 0 && rows_.time.size() == 0) {
    throw RequestError(422, "time: the model forgets by age, so each row needs a time")
        .field("time");
  }
}

void LearnJob::work_on(Workplace& work) {
  const bool labels = rows_.x.cols() == 0;
  if (work.model() == nullptr) {
    if (labels) throw RequestError(503, "there is no model yet: it begins with the first rows");
    try {
      work.make_model(work.maker().from_numbers(rows_.x.rows(), rows_.y.rows()));
    } catch (const FileError&) {
      throw RequestError(503, "the model's file could not be made");
    } catch (const Error& error) {
      throw RequestError(422, error.what());
    }
  }
  check_shape(*work.model());
  require_distinct(rows_.ids);
  for (std::size_t i = 0; i < rows_.ids.size(); ++i) {
    const std::optional<KeptAnswer> kept = work.ledger().answer_to(rows_.ids[i]);
    if (kept && kept->fingerprint != 0 &&
        kept->fingerprint != fingerprint(static_cast<Eigen::Index>(i))) {
      refuse_used_id(rows_.ids[i], i);
    }
    if (!kept && labels && !work.ledger().waiting(rows_.ids[i])) {
      throw RequestError(404, fmt::format("ids: row {}: no row waits under this id", i))
          .field("ids")
          .row(i)
          .value(rows_.ids[i]);
    }
  }
  std::vector<std::string> results;
  for (Eigen::Index i = 0; i < rows_.y.cols(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    results.push_back(answer_of_row(work, rows_.ids.empty() ? "" : rows_.ids[place],
                                    [&] { return learn_one(work, i); }));
  }
  response().status = status_of(results);
  response().body = results_json(model_name_, results);
}

std::string LearnJob::learn_one(Workplace& work, Eigen::Index row) {
  const std::string id = rows_.ids.empty() ? "" : rows_.ids[static_cast<std::size_t>(row)];
  if (!id.empty()) {
    if (const std::optional<KeptAnswer> kept = work.ledger().answer_to(id)) {
      work.count_repeated();
      return with_id(id, marked_repeated(kept->answer));
    }
  }
  RowAnswer answer;
  answer.level = rows_.level;
  answer.interval_known = work.model()->interval_known();
  Prediction said;
  std::optional<WaitingLabel> waiting;
  double time = rows_.time.size() > 0 ? rows_.time(row) : kNoTime;
  if (!id.empty()) waiting = work.ledger().waiting(id);
  const bool label = rows_.x.cols() == 0;
  const double noise = rows_.noise_variance.size() > 0 ? rows_.noise_variance(row) : 0.0;
  if (label) {
    unpack_said(waiting->said, rows_.y.rows(), said, answer.level, answer.interval_known);
    if (rows_.time.size() == 0) time = waiting->time;
    const Eigen::Map<const Eigen::VectorXd> x(waiting->inputs.data(), std::ssize(waiting->inputs));
    work.learn(x, rows_.y.col(row), noise, time, &said, outcome_);
  } else {
    work.learn(rows_.x.col(row), rows_.y.col(row), noise, time, nullptr, outcome_);
  }
  if (waiting) work.ledger().arrive(id);
  answer.prediction = &outcome_.before;
  answer.update = &outcome_.update;
  std::string text = answer.to_json();
  if (id.empty()) return text;
  KeptAnswer kept{fingerprint(row), std::nullopt, text};
  if (!outcome_.update.rejected) kept.sequence = outcome_.update.sequence;
  work.ledger().keep(id, std::move(kept));
  return with_id(id, text);
}

}  // namespace splitgp::serve
