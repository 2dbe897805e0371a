#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "serve/http/message.h"
#include "serve/protocol/tensor_request.h"
#include "splitgp/splitting_gp.h"

namespace splitgp::serve {

/// The inputs of `infer`: one column for each row, from the tensor `x`, from one tensor for each of
/// the model's inputs by its name, or from the short form. Throws RequestError.
Eigen::MatrixXd inputs_of(const TensorRequest& request, Eigen::Index inputs,
                          const std::vector<std::string>& names);

/// What a request asks for.
struct InferWishes {
  bool gradient = false;
  bool z = false;
};
/// Throws RequestError if it asks for an output that there is not, for one twice, or for z without
/// y.
InferWishes wishes_of(const TensorRequest& request);

/// The outputs y of the request, for z; empty if it has none.
Eigen::MatrixXd observed_of(const TensorRequest& request, Eigen::Index outputs, Eigen::Index rows);

/// The answer of the Open Inference Protocol, as JSON or with binary tensors. `gradient` may be
/// null if it was not asked for.
http::Response infer_response(const TensorRequest& request, const std::string& model_name,
                              const Prediction& prediction, const PredictionGradient* gradient,
                              const Eigen::MatrixXd& observed);

}  // namespace splitgp::serve
