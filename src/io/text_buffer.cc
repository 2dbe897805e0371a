#include "io/text_buffer.h"

#include <algorithm>
#include <utility>

namespace splitgp {
namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr std::size_t kFront = 1 << 16;

}  // namespace

TextBuffer::TextBuffer(std::unique_ptr<ByteSource> source, const std::string& name,
                       std::size_t longest_row)
    : source_(std::move(source)), longest_row_(longest_row) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  const auto may_be = [this](std::string_view mark) {
    return mark.substr(0, text().size()) == text().substr(0, mark.size());
  };
  constexpr std::string_view kUtf16 = "\xff\xfe";
  constexpr std::string_view kUtf16Swapped = "\xfe\xff";
  while (text().size() < kMark.size() &&
         (may_be(kMark) || may_be(kUtf16) || may_be(kUtf16Swapped)) && fill()) {
  }
  if (text().starts_with(kUtf16) || text().starts_with(kUtf16Swapped)) {
    throw ReadError(name + ": the text is UTF-16; convert it to UTF-8");
  }
  if (text().starts_with(kMark)) begin_ = kMark.size();
}

bool TextBuffer::fill() {
  if (ended_) return false;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const std::size_t old_size = buffer_.size();
  buffer_.resize(old_size + kChunk);
  std::size_t got = 0;
  try {
    got = source_->read(buffer_.data() + old_size, kChunk);
  } catch (...) {
    buffer_.resize(old_size);
    throw;
  }
  buffer_.resize(old_size + got);
  ended_ = got == 0;
  return !ended_;
}

void TextBuffer::consume(std::size_t count) {
  const std::string_view used = text().substr(0, count);
  line_number_ += static_cast<std::uint64_t>(std::count(used.begin(), used.end(), '\n'));
  if (front_.size() < kFront) front_ += used.substr(0, kFront - front_.size());
  begin_ += used.size();
}

bool TextBuffer::first_line_too_long() {
  std::size_t end = 0;
  while ((end = text().find('\n')) == std::string_view::npos) {
    if (too_long()) return true;
    if (!fill()) return false;
  }
  return end > longest_row_;
}

TextBuffer::Line TextBuffer::take_line(std::string_view& line) {
  std::size_t looked = 0;
  std::size_t end = 0;
  while ((end = text().find('\n', looked)) == std::string_view::npos) {
    looked = text().size();
    if (too_long()) {
      consume(looked);
      looked = 0;
      dropping_ = true;
    }
    if (!fill()) break;
  }
  const bool broken = end != std::string_view::npos;
  const bool dropped = std::exchange(dropping_, false);
  if (!broken && text().empty()) return dropped ? Line::too_long : Line::end;
  line = text().substr(0, end);
  consume(broken ? end + 1 : line.size());
  if (dropped || line.size() > longest_row_) return Line::too_long;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return Line::whole;
}

}  // namespace splitgp
