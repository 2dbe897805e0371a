// Which answer belongs to which route, and who makes it: this thread, a worker or the learner.
#include <fmt/format.h>

#include "serve/jobs/wait_job.h"
#include "serve/model_text.h"
#include "serve/protocol/json_writer.h"
#include "serve/service_impl.h"

namespace splitgp::serve {

void Service::Impl::dispatch(const RoutedPath& path, const RequestPointer& request,
                             const http::Reply& reply) {
  if (request->method == "OPTIONS") {
    http::Response response;
    response.status = 204;
    response.content_type = "";
    const bool post = facts_of(path.route).post;
    response.headers.push_back({"Allow", post ? "POST, OPTIONS" : "GET, HEAD, OPTIONS"});
    return reply(std::move(response));
  }
  const auto require_model = [this] {
    if (!learner.has_model()) throw RequestError(503, kNoModel);
  };
  const auto require_page = [this] {
    if (page == nullptr) throw RequestError(404, "this server has no page");
  };
  switch (path.route) {
    case Route::health_live:
      return reply(json_response("{\"live\":true}"));
    case Route::health_ready:
      require_model();
      return reply(json_response("{\"ready\":true}"));
    case Route::model_ready:
      require_model();
      return reply(json_response(
          fmt::format("{{\"name\":{},\"ready\":true}}", json_string(settings.model_name))));
    case Route::server:
      return reply(json_response(server_json()));
    case Route::model: {
      require_model();
      std::string text;
      learner.read_all(
          [&](const ServedModel& model) { text = model_json(model, settings.model_name); });
      return reply(json_response(std::move(text)));
    }
    case Route::infer:
      return infer(request, reply);
    case Route::learn:
      return learn(request, reply);
    case Route::rows:
      return rows(request, reply);
    case Route::forget:
      return submit(
          std::make_unique<ForgetJob>(parse_forget(request->body), settings.model_name, reply));
    case Route::report:
      require_model();
      return report(reply);
    case Route::snapshot:
      require_model();
      return snapshot(reply);
    case Route::metrics: {
      http::Response response =
          json_response(metrics_text(metrics, learner, server, settings.model_path));
      response.content_type = "text/plain; version=0.0.4; charset=utf-8";
      return reply(std::move(response));
    }
    case Route::page:
    case Route::asset:
      require_page();
      return reply(asset(*request, path.detail));
    case Route::live_state:
      require_page();
      return reply(json_response(page->state_json()));
    case Route::live_map:
      require_page();
      return later(
          reply, [this, request] { return live_map(*request); }, nullptr);
    case Route::live_events: {
      require_page();
      http::Response response;
      response.content_type = "text/event-stream";
      response.headers.push_back({"Cache-Control", "no-store"});
      response.events = true;
      response.body = "retry: 2000\n\nevent: tick\ndata: " + page->tick_json() + "\n\n";
      return reply(std::move(response));
    }
    case Route::unknown:
      break;
  }
  throw RequestError(404, "there is nothing here");
}

// A job that is not taken is answered here: its reply is inside it.
void Service::Impl::submit(std::unique_ptr<Job> job) {
  switch (learner.submit(job)) {
    case Learner::Taken::yes:
      return;
    case Learner::Taken::full:
      return job->fail(429, "too many rows wait to be learned; repeat the request later");
    case Learner::Taken::stopping:
      return job->fail(503, "the server is stopping");
    case Learner::Taken::failing:
      return job->fail(503, "earlier rows cannot be written to the disk; repeat the request later");
  }
}

void Service::Impl::later(const http::Reply& reply, std::function<http::Response()> task,
                          std::atomic<bool>* alone) {
  if (alone != nullptr && alone->exchange(true)) {
    throw RequestError(429, "one such request is being answered already; repeat it later");
  }
  const bool taken = workers.submit([reply, task = std::move(task), alone] {
    http::Response response;
    try {
      response = task();
    } catch (const RequestError& error) {
      response = error_response(error);
    } catch (const std::exception&) {
      response = error_response(RequestError(500, "the request failed inside the server"));
    }
    if (alone != nullptr) *alone = false;
    reply(std::move(response));
  });
  if (taken) return;
  if (alone != nullptr) *alone = false;
  throw RequestError(429, "too many large requests at once; repeat the request later");
}

}  // namespace splitgp::serve
