#include "serve/jobs/wait_job.h"

#include <fmt/format.h>

#include "serve/protocol/infer.h"
#include "serve/protocol/json_writer.h"
#include "serve/protocol/row_answer.h"

namespace splitgp::serve {
namespace {

void replace_column(Prediction& all, Eigen::Index column, const Prediction& one) {
  const auto replace = [column](Matrix& to, const Matrix& from) {
    if (to.cols() > column && from.cols() == 1 && to.rows() == from.rows()) {
      to.col(column) = from.col(0);
    }
  };
  replace(all.mean, one.mean);
  replace(all.variance, one.variance);
  replace(all.noise_variance, one.noise_variance);
  replace(all.degrees_of_freedom, one.degrees_of_freedom);
  replace(all.conformal_half_widths, one.conformal_half_widths);
}

}  // namespace

void WaitJob::work_on(Workplace& work) {
  if (work.model() == nullptr) {
    throw RequestError(503, "there is no model yet: it begins with the first rows");
  }
  const SplittingGp& model = work.model()->file.model();
  require_distinct(request_.ids);
  for (std::size_t i = 0; i < request_.ids.size(); ++i) {
    if (!work.ledger().answer_to(request_.ids[i])) continue;
    throw RequestError(422, fmt::format("ids: row {}: the row with this id was learned", i))
        .field("ids")
        .row(i)
        .value(request_.ids[i]);
  }
  // This thread is the only one that changes the model, so it reads without a lock.
  const Ahead ahead = request_.ahead.size() == 1
                          ? Ahead(request_.ahead.front())
                          : Ahead(request_.ahead.data(), std::ssize(request_.ahead));
  Prediction prediction = model.predict(x_, ahead);
  const bool interval_known = work.model()->interval_known();
  for (Eigen::Index i = 0; i < x_.cols(); ++i) {
    const std::string& id = request_.ids[static_cast<std::size_t>(i)];
    if (const std::optional<WaitingLabel> waiting = work.ledger().waiting(id)) {
      const Eigen::Map<const Eigen::VectorXd> x(waiting->inputs.data(),
                                                std::ssize(waiting->inputs));
      if (x.size() != x_.rows() || x != x_.col(i)) {
        refuse_used_id(id, static_cast<std::size_t>(i));
      }
      Prediction said;
      double level = 0.0;
      bool known = false;
      unpack_said(waiting->said, model.n_outputs(), said, level, known);
      replace_column(prediction, i, said);
      work.count_repeated();
    }
  }
  for (Eigen::Index i = 0; i < x_.cols(); ++i) {
    const std::string& id = request_.ids[static_cast<std::size_t>(i)];
    if (work.ledger().waiting(id)) continue;
    const Eigen::VectorXd x = x_.col(i);
    work.ledger().wait(id, {std::vector<double>(x.data(), x.data() + x.size()), kNoTime,
                            pack_said(prediction, i, request_.level, interval_known)});
  }
  response() = infer_response(request_, model_name_, prediction, nullptr,
                              observed_of(request_, model.n_outputs(), x_.cols()));
}

void ForgetJob::work_on(Workplace& work) {
  if (work.model() == nullptr) throw RequestError(503, "there is no model yet");
  ForgetResult result;
  try {
    result =
        request_.before ? work.forget_before(*request_.before) : work.forget(request_.sequences);
  } catch (const InvalidArgument& error) {
    throw RequestError(422, error.what()).field(request_.before ? "before" : "sequences");
  }
  if (request_.before) {
    work.ledger().forget_before(*request_.before);
  } else {
    work.ledger().forget(request_.sequences);
  }
  const SplittingGp& model = work.model()->file.model();
  JsonWriter json(response().body);
  json.begin_object().key("model_name").text(model_name_);
  json.key("forgotten").count(result.forgotten).key("merged").count(result.merged.size());
  json.key("observations").count(model.n_observations());
  json.key("local_gps").integer(model.n_local()).end_object();
}

}  // namespace splitgp::serve
