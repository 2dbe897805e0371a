#include "serve/jobs/reply_job.h"

#include <algorithm>
#include <unordered_set>

#include "serve/protocol/json_writer.h"
#include "serve/protocol/row_answer.h"

namespace splitgp::serve {
namespace {

// Quotes inside of texts are escaped, so this is a key of the object.
bool is_error(std::string_view result) {
  return result.find("{\"error\":") != std::string_view::npos ||
         result.find(",\"error\":") != std::string_view::npos;
}

}  // namespace

int status_of(const std::vector<std::string>& results) {
  return std::all_of(results.begin(), results.end(), is_error) ? 422 : 200;
}

std::string results_json(const std::string& model_name, const std::vector<std::string>& results,
                         const std::vector<std::string>& unknown_columns) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("model_name").text(model_name).key("rows").count(results.size());
  json.key("results").begin_array();
  for (const std::string& result : results) json.raw(result);
  json.end_array();
  if (!unknown_columns.empty()) {
    json.key("unknown_columns").begin_array();
    for (const std::string& column : unknown_columns) json.text(column);
    json.end_array();
  }
  json.end_object();
  return text;
}

std::string answer_of_row(Workplace& work, const std::string& id,
                          const std::function<std::string()>& take) {
  std::string reason;
  try {
    return take();
  } catch (const FileError&) {  // its text names the file
    reason = "the model's file cannot be read";
  } catch (const Error& error) {  // the model is as it was
    reason = error.what();
  }
  work.count_rejected(reason);
  const std::string rejected = rejected_json(reason, "");
  return id.empty() ? rejected : with_id(id, rejected);
}

void require_distinct(const std::vector<std::string>& ids) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (seen.insert(ids[i]).second) continue;
    throw RequestError(422, "ids: row " + std::to_string(i) + ": the id came before in the request")
        .field("ids")
        .row(i)
        .value(ids[i]);
  }
}

void refuse_used_id(const std::string& id, std::size_t row) {
  throw RequestError(422, "ids: row " + std::to_string(row) +
                              ": the id was used before, for a row with other values")
      .field("ids")
      .row(row)
      .value(id);
}

}  // namespace splitgp::serve
