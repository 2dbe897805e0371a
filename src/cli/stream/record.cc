#include "cli/stream/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"

namespace splitgp {

namespace {

constexpr const char* kTotalsNote = "stream";
constexpr const char* kWindowsNote = "stream_windows";
constexpr const char* kSampleNote = "stream_sample";

nlohmann::json to_json(const ScoreLine& line) {
  return {{"rows", line.rows},
          {"rmse", line.rmse},
          {"recent_rmse", line.recent_rmse},
          {"nlpd", line.nlpd},
          {"coverage", line.coverage},
          {"local_gps", line.local_gps},
          {"rows_per_second", line.rows_per_second}};
}

ScoreLine line_of(const nlohmann::json& item) {
  const auto number = [&item](const char* key) {  // JSON has no NaN: null is one
    const nlohmann::json& value = item.at(key);
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  };
  return {item.at("rows"),    number("rmse"),       number("recent_rmse"),    number("nlpd"),
          number("coverage"), item.at("local_gps"), number("rows_per_second")};
}

}  // namespace

StreamRecord StreamRecord::load(Eigen::Index outputs, const ReadNote& note) {
  StreamRecord record(outputs);
  const std::optional<std::string> totals = note(kTotalsNote);
  if (!totals) return record;
  try {
    const nlohmann::json parsed = nlohmann::json::parse(*totals);
    record.rows_read = parsed.at("rows_read");
    record.learned = parsed.at("learned");
    record.rejected = parsed.at("rejected");
    record.predicted = parsed.value("predicted", std::uint64_t{0});
    record.early = parsed.value("early", std::uint64_t{0});
    record.seconds = parsed.at("seconds");
    for (const nlohmann::json& item : parsed.at("table")) record.table.push_back(line_of(item));
    record.saved_scores_ = parsed.at("scores").dump();
    record.saved_table_ = parsed.at("table").dump();
    record.scores.load(
        parsed.at("scores"),
        nlohmann::json::parse(note(kWindowsNote).value_or(R"({"width":1,"windows":[]})")),
        nlohmann::json::parse(note(kSampleNote).value_or("[]")));
  } catch (const nlohmann::json::exception& error) {
    throw CommandError(kFailure, std::string("the model file's notes about the stream make no "
                                             "sense: ") +
                                     error.what());
  }
  record.saved_windows_ = record.scores.windows_version();
  record.saved_sample_ = record.scores.sample_version();
  return record;
}

void StreamRecord::keep_scores() {
  nlohmann::json lines = nlohmann::json::array();
  for (const ScoreLine& line : table) lines.push_back(to_json(line));
  saved_scores_ = scores.totals_json().dump();
  saved_table_ = lines.dump();
}

void StreamRecord::save_counts(const WriteNote& set_note) {
  if (saved_scores_.empty()) keep_scores();
  set_note(kTotalsNote,
           fmt::format(R"({{"early":{},"learned":{},"predicted":{},"rejected":{},"rows_read":{},)"
                       R"("scores":{},"seconds":{},"table":{}}})",
                       early, learned, predicted, rejected, rows_read, saved_scores_,
                       nlohmann::json(seconds).dump(), saved_table_));
}

void StreamRecord::save(const WriteNote& set_note) {
  keep_scores();
  save_counts(set_note);
  if (saved_windows_ != scores.windows_version()) {
    set_note(kWindowsNote, scores.windows_json().dump());
    saved_windows_ = scores.windows_version();
  }
  if (saved_sample_ != scores.sample_version()) {
    set_note(kSampleNote, scores.sample_json().dump());
    saved_sample_ = scores.sample_version();
  }
}

void drop_forgotten(ModelFile& file) {
  const std::optional<std::string> totals = file.note(kTotalsNote);
  const std::optional<std::string> sample = file.note(kSampleNote);
  if (!totals || !sample) return;
  const std::vector<std::uint64_t> held = file.model().observations().sequence;
  nlohmann::json kept = nlohmann::json::array();
  try {
    // Row 1 is the first that the stream has taught; the model may have known others before.
    const std::uint64_t learned = nlohmann::json::parse(*totals).at("learned");
    const std::uint64_t first = file.model().n_seen() - std::min(file.model().n_seen(), learned);
    for (const nlohmann::json& row : nlohmann::json::parse(*sample)) {
      const std::uint64_t sequence = first + row.at("row").get<std::uint64_t>() - 1;
      if (std::binary_search(held.begin(), held.end(), sequence)) kept.push_back(row);
    }
  } catch (const nlohmann::json::exception&) {
    kept = nlohmann::json::array();  // notes that make no sense
  }
  file.set_note(kSampleNote, kept.dump());
}

}  // namespace splitgp
