#include "store/scrub.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace splitgp::store {
namespace {

using Bytes = std::vector<unsigned char>;

std::uint32_t number_at(const unsigned char* bytes, int size) {
  std::uint32_t number = 0;
  for (int i = 0; i < size; ++i) number = number << 8 | bytes[i];
  return number;
}

sqlite3_file* file_of(const Database& database, int which) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database.handle(), "main", which, &file);
  return file != nullptr && file->pMethods != nullptr ? file : nullptr;
}

sqlite3_int64 size_of(sqlite3_file* file) {
  sqlite3_int64 size = 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return 0;
  return size;
}

void check(int code, const Database& database, const char* what) {
  if (code != SQLITE_OK) throw cannot("write", database.path(), what);
}

// https://www.sqlite.org/fileformat2.html: the header of a file has the size of its pages, the log
// has a header of 32 bytes and before every page one of 24, which begins with the page's number.
std::uint32_t page_size(sqlite3_file* file) {
  Bytes header(100);
  if (file->pMethods->xRead(file, header.data(), 100, 0) != SQLITE_OK) return 0;
  const std::uint32_t size = number_at(header.data() + 16, 2);
  return size == 1 ? 65536 : size;
}

std::set<std::uint32_t> pages_in_log(const Database& database, std::uint32_t page) {
  std::set<std::uint32_t> numbers;
  sqlite3_file* log = file_of(database, SQLITE_FCNTL_JOURNAL_POINTER);
  if (log == nullptr) return numbers;
  const sqlite3_int64 size = size_of(log);
  for (sqlite3_int64 at = 32; at + 24 + page <= size; at += 24 + page) {
    unsigned char number[4];
    if (log->pMethods->xRead(log, number, 4, at) != SQLITE_OK) break;
    numbers.insert(number_at(number, 4));
  }
  return numbers;
}

// Between the pointers to a page's cells and the cells themselves lies what is not in use; false if
// there is nothing to clear.
bool clear_middle(Bytes& page, bool first) {
  const std::size_t header = first ? 100 : 0;
  const unsigned char kind = page[header];
  if (kind != 2 && kind != 5 && kind != 10 && kind != 13) return false;  // not a page of a b-tree
  const std::size_t cells = number_at(page.data() + header + 3, 2);
  std::size_t content = number_at(page.data() + header + 5, 2);
  if (content == 0) content = 65536;
  const std::size_t begin = header + (kind < 8 ? 12 : 8) + 2 * cells;
  if (begin >= content || content > page.size()) return false;
  const auto from = page.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto to = page.begin() + static_cast<std::ptrdiff_t>(content);
  if (std::all_of(from, to, [](unsigned char byte) { return byte == 0; })) return false;
  std::fill(from, to, static_cast<unsigned char>(0));
  return true;
}

// The pages of a file. Other connections may read meanwhile: what is cleared means nothing to them.
class Pages {
 public:
  Pages(Database& database, std::uint32_t size)
      : database_(database),
        file_(file_of(database, SQLITE_FCNTL_FILE_POINTER)),
        size_(size),
        count_(size_of(file_) / size) {}

  sqlite3_int64 count() const { return count_; }
  Bytes read(std::uint32_t number) const {
    Bytes page(size_);
    check(file_->pMethods->xRead(file_, page.data(), static_cast<int>(size_), offset(number)),
          database_, "reading a page failed");
    return page;
  }
  void write(std::uint32_t number, const Bytes& page) {
    check(file_->pMethods->xWrite(file_, page.data(), static_cast<int>(size_), offset(number)),
          database_, "clearing a page failed");
    written_ = true;
  }
  bool has(std::uint32_t number) const { return number > 0 && number <= count_; }
  void clear_middle_of(std::uint32_t number) {
    if (!has(number)) return;
    Bytes page = read(number);
    if (clear_middle(page, number == 1)) write(number, page);
  }
  void sync() {
    if (written_) check(file_->pMethods->xSync(file_, SQLITE_SYNC_NORMAL), database_, "syncing");
  }

 private:
  sqlite3_int64 offset(std::uint32_t number) const {
    return sqlite3_int64{size_} * (sqlite3_int64{number} - 1);
  }
  Database& database_;
  sqlite3_file* file_;
  std::uint32_t size_;
  sqlite3_int64 count_;
  bool written_ = false;
};

// Pages that are not in use. Each of a chain of them lists others; a damaged chain may lead
// anywhere.
void clear_free_pages(Pages& pages, std::uint32_t size) {
  std::uint32_t trunk = number_at(pages.read(1).data() + 32, 4);
  for (sqlite3_int64 i = 0; i < pages.count() && pages.has(trunk); ++i) {
    Bytes page = pages.read(trunk);
    const std::uint32_t leaves = std::min(number_at(page.data() + 4, 4), size / 4 - 2);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const std::uint32_t number = number_at(page.data() + 8 + 4 * leaf, 4);
      if (number > 1 && pages.has(number)) pages.write(number, Bytes(size));
    }
    std::fill(page.begin() + static_cast<std::ptrdiff_t>(8 + 4 * leaves), page.end(),
              static_cast<unsigned char>(0));
    pages.write(trunk, page);
    trunk = number_at(page.data(), 4);
  }
}

// False if a reader needs the log.
bool empty_log(Database& database) {
  constexpr int kPatience = 200;  // milliseconds
  sqlite3_busy_timeout(database.handle(), kPatience);
  const int code = sqlite3_wal_checkpoint_v2(database.handle(), "main", SQLITE_CHECKPOINT_TRUNCATE,
                                             nullptr, nullptr);
  sqlite3_busy_timeout(database.handle(), Database::kPatience);
  if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) return false;
  if (code != SQLITE_OK) database.fail();
  return true;
}

// Calls clear(pages) while nobody can write: a page that another connection changed between our
// reading and writing it would be lost. The lock for writing keeps new pages out of the log, and
// what is not in the log nobody moves into the file. False if it is not to be had, or came too
// late.
template <typename Clear>
bool clear_alone(Database& database, std::uint32_t size, const Clear& clear) {
  try {
    const Transaction alone(database);
    sqlite3_file* log = file_of(database, SQLITE_FCNTL_JOURNAL_POINTER);
    if (log != nullptr && size_of(log) > 0) return false;
    Pages pages(database, size);
    clear(pages);
    pages.sync();
    return true;
  } catch (const FileError&) {
    if ((sqlite3_errcode(database.handle()) & 0xff) != SQLITE_BUSY) throw;
    return false;
  }
}

}  // namespace

bool scrub_log(Database& database) {
  sqlite3_file* file = file_of(database, SQLITE_FCNTL_FILE_POINTER);
  const std::uint32_t size = file == nullptr ? 0 : page_size(file);
  if (size == 0) return false;
  const std::set<std::uint32_t> numbers = pages_in_log(database, size);
  return empty_log(database) && clear_alone(database, size, [&](Pages& pages) {
           for (const std::uint32_t number : numbers) pages.clear_middle_of(number);
         });
}

bool scrub(Database& database) {
  if (!empty_log(database)) return false;
  sqlite3_file* file = file_of(database, SQLITE_FCNTL_FILE_POINTER);
  const std::uint32_t size = file == nullptr ? 0 : page_size(file);
  return size > 0 && clear_alone(database, size, [&](Pages& pages) {
           clear_free_pages(pages, size);
           for (sqlite3_int64 number = 1; number <= pages.count(); ++number)
             pages.clear_middle_of(static_cast<std::uint32_t>(number));
         });
}

}  // namespace splitgp::store
