#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace splitgp::serve {

void Metrics::finished(Route route, int status, double seconds) {
  --in_progress_;
  const auto place = std::find(kStatuses.begin(), kStatuses.end(), status);
  const auto at = place == kStatuses.end() ? kStatuses.size() - 1
                                           : static_cast<std::size_t>(place - kStatuses.begin());
  Histogram& histogram = histograms_[static_cast<std::size_t>(route)][at];
  const auto bucket = static_cast<std::size_t>(
      std::lower_bound(kBuckets.begin(), kBuckets.end(), seconds) - kBuckets.begin());
  histogram.counts[bucket].fetch_add(1, std::memory_order_relaxed);
  histogram.nanoseconds.fetch_add(static_cast<std::uint64_t>(seconds * 1e9),
                                  std::memory_order_relaxed);
}

std::uint64_t Metrics::requests() const {
  std::uint64_t sum = 0;
  for (const auto& route : histograms_) {
    for (const Histogram& histogram : route) {
      for (const auto& count : histogram.counts) sum += count.load(std::memory_order_relaxed);
    }
  }
  return sum;
}

void add_metric(std::string& to, const char* name, const char* type, const char* help,
                double value) {
  fmt::format_to(std::back_inserter(to), "# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help,
                 type, value);
}

std::string Metrics::to_text() const {
  constexpr const char* kName = "splitgp_request_duration_seconds";
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "# HELP {0} Time from the end of a request's head to the end of its answer.\n"
                 "# TYPE {0} histogram\n",
                 kName);
  for (std::size_t r = 0; r < histograms_.size(); ++r) {
    for (std::size_t s = 0; s < kStatuses.size(); ++s) {
      const Histogram& histogram = histograms_[r][s];
      std::uint64_t total = 0;
      for (const auto& count : histogram.counts) total += count.load(std::memory_order_relaxed);
      if (total == 0) continue;
      const std::string labels = fmt::format("route=\"{}\",status=\"{}\"",
                                             facts_of(static_cast<Route>(r)).label, kStatuses[s]);
      std::uint64_t sum = 0;
      for (std::size_t b = 0; b < kBuckets.size(); ++b) {
        sum += histogram.counts[b].load(std::memory_order_relaxed);
        fmt::format_to(out, "{}_bucket{{{},le=\"{}\"}} {}\n", kName, labels, kBuckets[b], sum);
      }
      fmt::format_to(out, "{}_bucket{{{},le=\"+Inf\"}} {}\n", kName, labels, total);
      fmt::format_to(out, "{}_sum{{{}}} {}\n", kName, labels,
                     static_cast<double>(histogram.nanoseconds.load()) * 1e-9);
      fmt::format_to(out, "{}_count{{{}}} {}\n", kName, labels, total);
    }
  }
  add_metric(text, "splitgp_requests_in_progress", "gauge", "Requests being answered.",
             static_cast<double>(in_progress()));
  add_metric(text, "splitgp_predictions_total", "counter", "Points predicted.",
             static_cast<double>(predictions()));
  return text;
}

}  // namespace splitgp::serve
