#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/answer_room.h"
#include "serve/http/server.h"
#include "serve/page_source.h"
#include "serve/security.h"

namespace splitgp::serve {

class Learner;
class Log;
class Metrics;

struct ServiceSettings {
  std::string model_name;  ///< The {name} in /v2/models/{name}.
  std::string model_path;
  SecuritySettings security;
  std::size_t rows_a_request = 100'000;  ///< More are 413.
  /// Up to so many are predicted by the thread that read them; more in pieces of this size, between
  /// which others get the model.
  Eigen::Index rows_at_once = 64;
  AnswerLimits answers;
  int workers = 2;
  /// The page of `splitgp report` about the file as it is; may throw.
  std::function<std::string()> report;
};

/// The protocol: requests in, responses out (docs/service.md).
///
/// Threads: calls may come from many at once.
class Service : public http::Application {
 public:
  /// `page` may be null: then there is no page. All arguments must outlive it.
  Service(ServiceSettings settings, Learner& learner, Metrics& metrics, Log& log, PageSource* page);
  ~Service() override;

  std::optional<http::Response> refuse(const http::Request& head) override;
  void handle(std::shared_ptr<const http::Request> request, http::Reply reply) override;
  http::Response error(int status, const std::string& message) override;
  void began() override;
  void finished(const http::Request& request, const http::Outcome& outcome) override;

  /// What /metrics asks for numbers of connections.
  void set_server(const http::Server* server);
  /// Answers what it has taken; everything else is refused from here on.
  void join();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace splitgp::serve
