#pragma once

#include <string>

#include "serve/http/server.h"
#include "serve/learner.h"
#include "serve/metrics.h"

namespace splitgp::serve {

/// GET /v2: what this server is.
std::string server_json();
/// GET /v2/models/{name}: what goes in and comes out.
std::string model_json(const ServedModel& model, const std::string& name);
/// GET /metrics. `server` may be null.
std::string metrics_text(const Metrics& metrics, Learner& learner, const http::Server* server,
                         const std::string& model_path);

}  // namespace splitgp::serve
