#include "table/refuse.h"

#include "io/number.h"
#include "io/printable.h"

namespace splitgp::table {

bool refuse(Applied& row, const std::string& column, const std::string& reason) {
  row.outcome = Applied::Outcome::rejected;
  row.column = column;
  row.reason = "column " + shown(column) + ": " + reason;
  return false;
}

std::string shown_cell(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::missing:
      return "";
    case Cell::Kind::text:
      return trimmed(cell.text).empty() ? "" : " (" + shown(trimmed(cell.text)) + ")";
    default:
      return " (" + std::to_string(cell.number) + ")";
  }
}

std::string plain_number(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace splitgp::table
