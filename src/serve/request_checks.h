#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serve/http/message.h"
#include "serve/protocol/request_error.h"
#include "serve/protocol/table_text.h"
#include "serve/route.h"
#include "serve/security.h"

namespace splitgp::serve {

/// "text/csv; charset=utf-8" → "text/csv"
std::string_view media_type(const http::Request& request);
std::optional<TableFormat> table_format(std::string_view media_type);
/// Whether the rows of a table are to be learned.
bool learns(const http::Request& request);

/// Judges a request by its head: why it is refused, before its body is read. In this order: who
/// asks, for what, by which right, and whether it is put in the right way.
std::optional<RequestError> judge_head(const http::Request& head, const SecuritySettings& security,
                                       const std::string& model_name);

}  // namespace splitgp::serve
