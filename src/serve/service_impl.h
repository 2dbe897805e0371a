#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "serve/job.h"
#include "serve/learner.h"
#include "serve/log.h"
#include "serve/metrics.h"
#include "serve/protocol/request_error.h"
#include "serve/protocol/table_text.h"
#include "serve/protocol/tensor_request.h"
#include "serve/route.h"
#include "serve/service.h"
#include "serve/workers.h"

namespace splitgp::serve {

inline constexpr const char* kNoModel = "there is no model yet: it begins with the first rows";

http::Response error_response(const RequestError& error);
/// An answer that no cache keeps.
http::Response json_response(std::string body);

/// What the service is made of, for the files that answer its routes: service_routes.cc,
/// service_rows.cc and service_pages.cc.
struct Service::Impl {
  using RequestPointer = std::shared_ptr<const http::Request>;

  Impl(ServiceSettings given, Learner& its_learner, Metrics& its_metrics, Log& its_log,
       PageSource* its_page)
      : settings(std::move(given)),
        learner(its_learner),
        metrics(its_metrics),
        log(its_log),
        page(its_page),
        room(settings.answers),
        workers(settings.workers, kMostTasks) {
    limits.rows = settings.rows_a_request;
    table_limits.rows = settings.rows_a_request;
  }

  static constexpr std::size_t kMostTasks = 64;

  ServiceSettings settings;
  Learner& learner;
  Metrics& metrics;
  Log& log;
  PageSource* page;
  AnswerRoom room;
  ParseLimits limits;
  TableLimits table_limits;
  std::atomic<const http::Server*> server{nullptr};
  std::atomic<bool> copying{false};    // a snapshot is being made
  std::atomic<bool> reporting{false};  // a report is being made
  Workers workers;                     // ends before what its tasks use

  void dispatch(const RoutedPath& path, const RequestPointer& request, const http::Reply& reply);
  void infer(const RequestPointer& request, const http::Reply& reply);
  void learn(const RequestPointer& request, const http::Reply& reply);
  void rows(const RequestPointer& request, const http::Reply& reply);
  void report(const http::Reply& reply);
  void snapshot(const http::Reply& reply);
  void submit(std::unique_ptr<Job> job);
  void later(const http::Reply& reply, std::function<http::Response()> task,
             std::atomic<bool>* alone);
  http::Response asset(const http::Request& request, std::string_view name);
  http::Response live_map(const http::Request& request);
  void allow_origin(const http::Request& request, http::Response& response) const;
  void require_scope(const http::Request& request, Scope scope) const;
};

}  // namespace splitgp::serve
