#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "splitgp/results.h"

namespace splitgp::serve {

/// What is answered to one row of `learn` and `rows`: a JSON object.
struct RowAnswer {
  const Prediction* prediction = nullptr;  ///< Made before it was learned; null: none.
  Eigen::Index column = 0;                 ///< In it.
  double level = 0.95;                     ///< Of its interval.
  const UpdateResult* update = nullptr;    ///< Null: it was only predicted.
  bool waiting = false;                    ///< For its label.
  bool interval_known = true;

  std::string to_json() const;
};

/// {"error": "…", "field": "…"} for a row that could not be used.
std::string rejected_json(std::string_view reason, std::string_view field);
/// The object with "id" in front, and with "repeated" at its end.
std::string with_id(std::string_view id, std::string_view object);
std::string marked_repeated(std::string_view object);

/// What a waiting row remembers of its prediction: the level, then the prediction itself.
std::vector<double> pack_said(const Prediction& prediction, Eigen::Index column, double level,
                              bool interval_known);
/// False if the numbers are not those of such a prediction.
bool unpack_said(const std::vector<double>& said, Eigen::Index outputs, Prediction& prediction,
                 double& level, bool& interval_known);

/// A prediction's column as a prediction of its own.
Prediction column_of(const Prediction& prediction, Eigen::Index column);

/// Of a row's numbers or texts, to notice an id that is used for another row. Never 0.
class RowFingerprint {
 public:
  void add(double value);
  void add(std::string_view text);
  std::uint64_t value() const { return hash_ == 0 ? 1 : hash_; }

 private:
  void add_bytes(const char* bytes, std::size_t count);
  std::uint64_t hash_ = 0xcbf29ce484222325U;  // FNV-1a, 64 bits
};

}  // namespace splitgp::serve
