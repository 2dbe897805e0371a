#include "cli/stream/first_table.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/stream/open_model.h"
#include "splitgp/error.h"
#include "table/json_text.h"

namespace splitgp {

using json = nlohmann::ordered_json;

namespace {

constexpr const char* kNote = "table_first";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
// Rows in one note, so that a commit need not write all of them again.
constexpr std::size_t kInOneNote = 64;

std::string rows_note(std::size_t first) {
  return std::string(kNote) + " " + std::to_string(first / kInOneNote);
}

json texts_json(const std::vector<std::string>& texts) {
  json list = json::array();
  for (const std::string& text : texts) list.push_back(table::json_text(text));
  return list;
}

std::vector<std::string> texts_of(const json& list) {
  std::vector<std::string> texts;
  for (const json& text : list) texts.push_back(table::from_json_text(text.get<std::string>()));
  return texts;
}

}  // namespace

FirstTable::FirstTable(std::vector<std::string> header, const FirstRows& looked)
    : header_(std::move(header)), columns_(looked.columns), complete_(looked.complete) {
  for (const LookedRow& row : looked.rows) {
    if (row.outcome == RowReader::Next::row) keep(row.row.texts);
    if (bytes_ > kMostBytes) break;
  }
  looked_ = rows_.size();
}

void FirstTable::keep(std::vector<std::string> texts) {
  for (const std::string& text : texts) bytes_ += text.size() + 1;
  rows_.push_back({std::move(texts)});
}

void FirstTable::add(std::vector<std::string> texts, bool taken) {
  if (delivered_ == rows_.size()) {
    keep(std::move(texts));
  } else if (rows_[delivered_].texts != texts) {
    // What was looked at was lost with the process that did, and a pipe has gone on.
    rows_.resize(delivered_);
    saved_ = std::min(saved_, delivered_);
    keep(std::move(texts));
  }
  rows_[delivered_++].fate = taken ? Fate::taken : Fate::rejected;
  changed_ = true;
}

bool FirstTable::settled() const { return delivered_ >= table::kFirstRows || bytes_ > kMostBytes; }

bool FirstTable::due() const {
  return std::bit_floor(delivered_) > std::max<std::size_t>(looked_, 1) ||
         (settled() && delivered_ > looked_);
}

table::Found FirstTable::find_from(const StreamFlags& flags, std::size_t rows,
                                   bool complete) const {
  FirstRows first;
  first.columns = columns_;
  first.complete = complete;
  for (std::size_t k = 0; k < std::min(rows, rows_.size()); ++k) {
    LookedRow looked;
    looked.row.texts = rows_[k].texts;
    first.rows.push_back(std::move(looked));
  }
  return find_recipe(flags, header_, first, "the first rows");
}

table::Found FirstTable::find(const StreamFlags& flags) {
  looked_ = delivered_;
  complete_ = false;
  changed_ = true;
  return find_from(flags, looked_, complete_);
}

table::Found FirstTable::find_again(const StreamFlags& flags) const {
  return find_from(flags, looked_, complete_);
}

void FirstTable::save(const WriteNote& set_note) {
  if (!std::exchange(changed_, false)) return;
  std::string fates;
  for (const KeptRow& row : rows_) fates += static_cast<char>(row.fate);
  set_note(kNote, json{{"header", texts_json(header_)},
                       {"columns", texts_json(columns_)},
                       {"fates", fates},
                       {"looked", looked_},
                       {"complete", complete_}}
                      .dump());
  for (std::size_t first = saved_ - saved_ % kInOneNote; first < rows_.size();
       first += kInOneNote) {
    json list = json::array();
    for (std::size_t k = first; k < std::min(first + kInOneNote, rows_.size()); ++k) {
      list.push_back(texts_json(rows_[k].texts));
    }
    set_note(rows_note(first), list.dump());
  }
  saved_ = rows_.size();
}

void FirstTable::erase(const WriteNote& set_note) const {
  set_note(kNote, "");
  for (std::size_t first = 0; first < rows_.size(); first += kInOneNote) {
    set_note(rows_note(first), "");
  }
}

std::optional<FirstTable> FirstTable::load(const ReadNote& note) {
  const std::optional<std::string> head = note(kNote);
  if (!head || head->empty()) return std::nullopt;
  FirstTable table;
  try {
    const json parsed = json::parse(*head);
    table.header_ = texts_of(parsed.at("header"));
    table.columns_ = texts_of(parsed.at("columns"));
    table.looked_ = parsed.at("looked");
    table.complete_ = parsed.at("complete");
    const std::string fates = parsed.at("fates");
    for (std::size_t first = 0; first < fates.size(); first += kInOneNote) {
      for (const json& row : json::parse(note(rows_note(first)).value_or("[]"))) {
        table.keep(texts_of(row));
      }
    }
    bool sound = table.rows_.size() >= fates.size() && table.looked_ <= fates.size();
    table.rows_.resize(std::min(table.rows_.size(), fates.size()));
    for (std::size_t k = 0; k < table.rows_.size(); ++k) {
      table.rows_[k].fate = static_cast<Fate>(fates[k]);
      if (table.rows_[k].fate != Fate::expected) table.delivered_ = k + 1;
      sound = sound && table.rows_[k].texts.size() == table.columns_.size();
    }
    if (!sound) throw FileError("the model file's first rows do not fit their columns");
  } catch (const json::exception& error) {
    throw FileError(std::string("the model file's first rows make no sense: ") + error.what());
  }
  table.saved_ = table.rows_.size();
  table.changed_ = false;
  return table;
}

}  // namespace splitgp
