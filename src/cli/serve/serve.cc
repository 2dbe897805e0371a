#include "cli/serve/serve.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "cli/exit_code.h"
#include "cli/report/data.h"
#include "cli/report/page.h"
#include "cli/serve/model_maker.h"
#include "cli/serve/past.h"
#include "cli/serve/record_observer.h"
#include "cli/stop_signal.h"
#include "io/printable.h"
#include "serve/live/feed.h"
#include "serve/notify.h"
#include "serve/running.h"
#include "splitgp/model_file.h"

namespace splitgp {
namespace {

using Clock = std::chrono::steady_clock;

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:0"
Address address_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  Address address;
  if (colon == std::string::npos) {
    throw CommandError(kUsage, "--listen: expected ADDRESS:PORT, such as 127.0.0.1:8080");
  }
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host == "localhost") address.host = "127.0.0.1";
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, address.port);
  if (error != std::errc() || stop != end || address.host.empty()) {
    throw CommandError(kUsage, "--listen: expected ADDRESS:PORT, such as 127.0.0.1:8080");
  }
  return address;
}

// It is part of addresses, and of file names that clients make of it.
void check_name(const std::string& name) {
  const bool plain = name.find_first_not_of(
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~") ==
                     std::string::npos;
  if (plain && name != "." && name != "..") return;
  throw CommandError(
      kUsage,
      fmt::format("--name {}: a name in addresses has letters, digits, - _ . and ~", shown(name)));
}

void check_security(const ServeFlags& flags, const Address& address) {
  if (flags.tls_cert.empty() != flags.tls_key.empty()) {
    throw CommandError(kUsage, "--tls-cert and --tls-key belong together");
  }
  if (serve::is_loopback(address.host) || flags.insecure) return;
  if (flags.token_file.empty() || flags.tls_cert.empty()) {
    throw CommandError(
        kUsage,
        fmt::format("--listen {}: others can reach it, so it needs --token-file, --tls-cert "
                    "and --tls-key, or --insecure if something else protects it",
                    flags.listen));
  }
}

serve::RunningSettings settings_of(const ServeFlags& flags, const Address& address) {
  serve::RunningSettings settings;
  settings.server.address = address.host;
  settings.server.port = address.port;
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  settings.server.threads = flags.http_threads > 0 ? flags.http_threads : std::min(processors, 8);
  settings.server.certificate_file = flags.tls_cert;
  settings.server.key_file = flags.tls_key;
  settings.server.limits.message.body_bytes = flags.max_body * 1024 * 1024;
  settings.server.limits.connections = flags.max_connections;
  settings.server.limits.viewers = flags.max_viewers;
  settings.service.workers = std::min(processors, 8);
  settings.service.model_path = flags.model;
  settings.service.model_name =
      flags.name.empty() ? std::filesystem::path(flags.model).stem().string() : flags.name;
  settings.service.rows_a_request = flags.max_rows;
  if (!flags.token_file.empty()) {
    settings.service.security.tokens = serve::Tokens::from_file(flags.token_file);
  }
  settings.service.security.hosts = flags.allow_host;
  settings.service.security.origins = flags.allow_origin;
  settings.service.report = [path = flags.model, name = settings.service.model_name] {
    return report_page(report_data(load(path), name, std::nullopt));
  };
  settings.learner.queue_rows = flags.max_queue;
  settings.learner.ledger.ids = flags.remember_ids;
  settings.learner.ledger.waiting = flags.max_waiting;
  settings.log = flags.log == "json"   ? serve::Log::Format::json
                 : flags.log == "none" ? serve::Log::Format::none
                                       : serve::Log::Format::text;
  return settings;
}

// Until a signal comes or nothing can be learned any more: once a second to the viewers, the log
// and the service manager.
void wait_for_signal(const StopSignal& stop, serve::Running& running) {
  const auto watchdog = serve::watchdog_interval();
  Clock::time_point next_watchdog = Clock::now();
  while (stop.received() == 0 && running.learner().gave_up().empty()) {
    int wait = 1000;
    if (watchdog) wait = std::min<int>(wait, static_cast<int>(watchdog->count()));
    pollfd one{stop.descriptor(), POLLIN, 0};
    ::poll(&one, 1, std::max(wait, 10));
    running.tick();
    if (watchdog && Clock::now() >= next_watchdog && running.is_alive()) {
      serve::notify_manager("WATCHDOG=1");
      next_watchdog = Clock::now() + *watchdog;
    }
  }
}

}  // namespace

int run_serve(const ServeFlags& given) {
  ServeFlags flags = given;
  flags.stream.model = flags.model;
  flags.stream.durability = flags.durability;
  const Address address = address_of(flags.listen);
  check_security(flags, address);
  check_name(flags.name);
  StopSignal stop;
  ServeModelMaker maker(flags);
  RecordObserver record;
  const serve::RunningSettings settings = settings_of(flags, address);
  const serve::MakePage make_page = [&settings](serve::ReadModel read) {
    return std::make_unique<serve::LiveFeed>(
        serve::LiveFeed::Settings{settings.service.model_name, SPLITGP_VERSION, past_json},
        std::move(read));
  };
  serve::Running running(settings, maker.open(), maker, {&record}, make_page);
  running.start();
  const bool bracketed = address.host.find(':') != std::string::npos;
  running.log().message(
      fmt::format("listening on {}://{}{}{}:{}/ for model {}{}",
                  flags.tls_cert.empty() ? "http" : "https", bracketed ? "[" : "", address.host,
                  bracketed ? "]" : "", running.port(), settings.service.model_name,
                  running.learner().has_model() ? "" : ", which begins with the first rows"));
  serve::notify_manager("READY=1");
  wait_for_signal(stop, running);
  serve::notify_manager("STOPPING=1");
  running.stop();
  if (const std::string why = running.learner().gave_up(); !why.empty()) {
    throw CommandError(kFailure, fmt::format("{}: {}; nothing was written since the last answer",
                                             flags.model, why));
  }
  running.log().message("stopped; everything acknowledged is in the file");
  return kSuccess;
}

}  // namespace splitgp
