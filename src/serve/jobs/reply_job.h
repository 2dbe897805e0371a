#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serve/http/message.h"
#include "serve/job.h"
#include "serve/protocol/request_error.h"

namespace splitgp::serve {

/// A job that answers a request.
class ReplyJob : public Job {
 public:
  explicit ReplyJob(http::Reply reply) : reply_(std::move(reply)) {}

  void run(Workplace& work) final {
    try {
      work_on(work);
    } catch (const RequestError& error) {
      response_.status = error.status();
      response_.body = error.to_json();
    }
  }
  void answer() final { send(std::move(response_)); }
  void fail(int status, const std::string& message) final {
    http::Response response;
    response.status = status;
    response.body = RequestError(status, message).to_json();
    if (status == 429 || status == 503) response.headers.push_back({"Retry-After", "1"});
    send(std::move(response));
  }

 protected:
  /// Sets response(). May throw RequestError as long as it has changed nothing.
  virtual void work_on(Workplace& work) = 0;
  http::Response& response() { return response_; }

 private:
  void send(http::Response response) {
    if (reply_) std::exchange(reply_, nullptr)(std::move(response));
  }
  http::Reply reply_;
  http::Response response_;
};

/// {"model_name": …, "rows": n, "results": […]}, with "unknown_columns" if there are any.
std::string results_json(const std::string& model_name, const std::vector<std::string>& results,
                         const std::vector<std::string>& unknown_columns = {});

/// 200, or 422 if every row was rejected.
int status_of(const std::vector<std::string>& results);

/// What `take` answers to one row. If it throws an Error, that is the answer to this row alone:
/// rows before it may have been learned, so the request as a whole can no longer fail.
std::string answer_of_row(Workplace& work, const std::string& id,
                          const std::function<std::string()>& take);

/// Throws RequestError, 422, if an id comes twice.
void require_distinct(const std::vector<std::string>& ids);
/// Throws RequestError, 422: the id of this row was used for another one.
[[noreturn]] void refuse_used_id(const std::string& id, std::size_t row);

}  // namespace splitgp::serve
