#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "table/recipe.h"

namespace splitgp::serve {

/// What a reader may look at while it holds the model.
struct ModelView {
  const SplittingGp& model;
  const table::Recipe& recipe;
};

/// Reads the model while nothing changes it. Calls `use` and returns true, or false if there is no
/// model yet. Updates wait meanwhile: what takes longer than a few milliseconds should copy.
using ReadModel = std::function<bool(const std::function<void(const ModelView&)>& use)>;

struct Asset {
  std::string_view bytes;         ///< Embedded in the program.
  std::string_view content_type;  ///< "text/html; charset=utf-8"
  std::string_view etag;          ///< With its quotes.
  bool gzipped = false;           ///< The bytes are: sent with Content-Encoding: gzip.
};

/// What the live page is made of. All calls may come from several threads at once.
class PageSource {
 public:
  virtual ~PageSource() = default;
  /// Everything the page needs to draw itself when it opens.
  virtual std::string state_json() = 0;
  /// What has happened since; sent as the event `tick`, at most once a second.
  virtual std::string tick_json() = 0;
  /// Sent as events `alarm`, each a JSON object; those that have not been taken yet.
  virtual std::vector<std::string> take_alarms() = 0;
  /// The map of the partition over two inputs (or columns of the table), by number from 0. Throws
  /// InvalidArgument if there are no such inputs.
  virtual std::string map_json(Eigen::Index first, Eigen::Index second) = 0;
  /// "" is the page itself.
  virtual std::optional<Asset> asset(std::string_view name) = 0;
};

}  // namespace splitgp::serve
