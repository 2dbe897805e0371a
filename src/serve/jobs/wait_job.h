#pragma once

#include <Eigen/Core>
#include <string>

#include "serve/jobs/reply_job.h"
#include "serve/protocol/forget_request.h"
#include "serve/protocol/tensor_request.h"

namespace splitgp::serve {

/// `infer` with ids: predicts, and keeps the rows until their labels come. An id that waits, or
/// whose row was learned, is answered as before.
class WaitJob : public ReplyJob {
 public:
  /// `request` has ids, one for each column of `x`.
  WaitJob(TensorRequest request, Eigen::MatrixXd x, std::string model_name, http::Reply reply)
      : ReplyJob(std::move(reply)),
        request_(std::move(request)),
        x_(std::move(x)),
        model_name_(std::move(model_name)) {}
  std::size_t rows() const override { return static_cast<std::size_t>(x_.cols()); }
  std::size_t bytes() const override {
    return static_cast<std::size_t>(x_.size()) * sizeof(double) * 2 + request_.ids.size() * 64;
  }

 private:
  void work_on(Workplace& work) override;

  TensorRequest request_;
  Eigen::MatrixXd x_;
  std::string model_name_;
};

/// `forget`: observations by their numbers, or all before one.
class ForgetJob : public ReplyJob {
 public:
  ForgetJob(ForgetRequest request, std::string model_name, http::Reply reply)
      : ReplyJob(std::move(reply)),
        request_(std::move(request)),
        model_name_(std::move(model_name)) {}
  std::size_t rows() const override { return request_.sequences.size() + 1; }
  std::size_t bytes() const override { return request_.sequences.size() * 8; }

 private:
  void work_on(Workplace& work) override;

  ForgetRequest request_;
  std::string model_name_;
};

}  // namespace splitgp::serve
