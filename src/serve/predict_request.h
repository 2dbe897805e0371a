#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "serve/answer_room.h"
#include "serve/http/message.h"
#include "serve/jobs/learn_job.h"
#include "serve/learner.h"
#include "serve/protocol/infer.h"

namespace splitgp::serve {

/// `infer`: points to be predicted, in pieces between which rows may be learned.
class PredictRequest {
 public:
  /// Throws RequestError if the request does not fit the model. `request` and `learner` must
  /// outlive it.
  PredictRequest(const TensorRequest& request, Learner& learner, Eigen::Index at_once);

  Eigen::Index rows() const { return x_.cols(); }
  /// Of the answer, before anything is computed.
  AnswerSize answer_size() const { return size_; }
  Eigen::MatrixXd take_inputs() { return std::move(x_); }
  http::Response answer(const std::string& model_name);

 private:
  void predict(PredictionGradient& all) const;
  Ahead ahead(Eigen::Index first, Eigen::Index count) const;

  const TensorRequest& request_;
  Learner& learner_;
  Eigen::Index at_once_;
  InferWishes wishes_;
  AnswerSize size_;
  Eigen::MatrixXd x_;
  Eigen::MatrixXd observed_;
};

/// The rows of `learn`. `inputs` and `outputs` are the model's, or 0 if there is none yet: then the
/// rows say how many there are. Throws RequestError.
LearnRows learn_rows_of(const TensorRequest& request, Eigen::Index inputs, Eigen::Index outputs,
                        const std::vector<std::string>& names);

}  // namespace splitgp::serve
