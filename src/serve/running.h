#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/http/server.h"
#include "serve/learner.h"
#include "serve/log.h"
#include "serve/metrics.h"
#include "serve/service.h"

namespace splitgp::serve {

struct RunningSettings {
  http::ServerSettings server;
  ServiceSettings service;
  LearnerLimits learner;
  Log::Format log = Log::Format::text;
  std::FILE* log_to = stderr;
};

/// Makes the live page for a model that it may read.
using MakePage = std::function<std::unique_ptr<PageSource>(ReadModel read)>;

/// A model that is served, from here until stop() or the end of this object.
class Running {
 public:
  /// Listens, but answers only after start(). Observers and the maker must outlive it. Throws
  /// Error.
  Running(RunningSettings settings, std::unique_ptr<ServedModel> model, ModelMaker& maker,
          std::vector<Observer*> observers, const MakePage& make_page = nullptr);
  ~Running();

  void start();
  std::uint16_t port() const { return server_->port(); }
  /// To be called once a second or so: sends the viewers what has happened and flushes the log.
  void tick();
  /// Whether the thread that learns still does something.
  bool is_alive() const;
  /// Answers what it has received, commits, and ends.
  void stop(std::chrono::milliseconds patience = std::chrono::seconds(10));

  Learner& learner() { return *learner_; }
  Log& log() { return log_; }

 private:
  RunningSettings settings_;
  Log log_;
  Metrics metrics_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<PageSource> page_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<http::Server> server_;
  bool stopped_ = false;
};

}  // namespace splitgp::serve
