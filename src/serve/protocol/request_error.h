#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "splitgp/error.h"

namespace splitgp::serve {

/// A request that cannot be answered: the status, and what is wrong where.
class RequestError : public Error {
 public:
  RequestError(int status, const std::string& message) : Error(message), status_(status) {}
  RequestError&& field(std::string name) && {
    field_ = std::move(name);
    return std::move(*this);
  }
  RequestError&& row(std::uint64_t number) && {
    row_ = number;
    return std::move(*this);
  }
  RequestError&& value(std::string text) && {
    value_ = std::move(text);
    return std::move(*this);
  }

  int status() const { return status_; }
  const std::string& field() const& { return field_; }
  const std::optional<std::uint64_t>& row() const& { return row_; }
  const std::string& value() const& { return value_; }
  /// {"error": "…", "field": "…", "row": 3, "value": "…"}
  std::string to_json() const;

 private:
  int status_;
  std::string field_;
  std::optional<std::uint64_t> row_;
  std::string value_;
};

}  // namespace splitgp::serve
