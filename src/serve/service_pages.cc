// Pages, their parts, and files: what a person looks at or takes along.
#include <charconv>

#include "serve/service_impl.h"
#include "serve/snapshot.h"

namespace splitgp::serve {

void Service::Impl::report(const http::Reply& reply) {
  if (!settings.report) throw RequestError(404, "this server writes no report");
  later(
      reply,
      [this] {
        http::Response response = json_response(settings.report());
        response.content_type = "text/html; charset=utf-8";
        // It has its scripts inside, so it runs without an origin: it cannot ask this server.
        response.policy =
            "sandbox allow-scripts allow-downloads; default-src 'none'; script-src "
            "'unsafe-inline'; "
            "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'";
        return response;
      },
      &reporting);
}

void Service::Impl::snapshot(const http::Reply& reply) {
  later(
      reply,
      [this] {
        http::Response response;
        response.content_type = "application/vnd.sqlite3";
        response.headers.push_back({"Cache-Control", "no-store"});
        response.headers.push_back(
            {"Content-Disposition", "attachment; filename=\"model.splitgp\""});
        try {
          response.file = make_snapshot(settings.model_path);
        } catch (const FileError&) {
          throw RequestError(503, "the copy could not be made; the disk may be full");
        }
        return response;
      },
      &copying);
}

http::Response Service::Impl::asset(const http::Request& request, std::string_view name) {
  const std::optional<Asset> found = page->asset(name);
  if (!found) throw RequestError(404, "there is no such asset");
  http::Response response;
  response.content_type = std::string(found->content_type);
  response.headers.push_back({"ETag", std::string(found->etag)});
  response.headers.push_back({"Cache-Control", "no-cache"});
  if (request.header("If-None-Match") == found->etag) {
    response.status = 304;
    return response;
  }
  if (found->gzipped) response.headers.push_back({"Content-Encoding", "gzip"});
  response.fixed_body = found->bytes;
  return response;
}

http::Response Service::Impl::live_map(const http::Request& request) {
  const std::string text = request.parameter("inputs");
  Eigen::Index first = 0, second = 0;
  const char* const end = text.data() + text.size();
  const auto one = std::from_chars(text.data(), end, first);
  bool sound = one.ec == std::errc() && one.ptr != end && *one.ptr == ',';
  if (sound) {
    const auto other = std::from_chars(one.ptr + 1, end, second);
    sound = other.ec == std::errc() && other.ptr == end && first >= 0 && second >= 0;
  }
  if (!sound) {
    throw RequestError(422, "inputs must be two numbers from 0 on, such as inputs=0,1")
        .field("inputs")
        .value(text.substr(0, 40));
  }
  try {
    return json_response(page->map_json(first, second));
  } catch (const InvalidArgument& error) {
    throw RequestError(422, error.what()).field("inputs");
  }
}

}  // namespace splitgp::serve
