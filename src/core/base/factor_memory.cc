#include "core/base/factor_memory.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <pthread.h>
#include <sys/mman.h>
#endif

namespace splitgp::factor_memory {
namespace {

constexpr std::size_t kPage = std::size_t{1} << 21;  // a large one
constexpr std::size_t kOrdinaryPage = std::size_t{1} << 12;
constexpr std::size_t kUsualChunk = 8 * kPage;
constexpr std::size_t kUnit = 64;  // a line of the cache
// Smaller factors, of some 60 points and fewer, lie on a few ordinary pages. The address sanitizer
// sees the borders only of what comes from the system.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kSmallest = std::size_t{1} << 14;
#else
constexpr std::size_t kSmallest = ~std::size_t{0};
#endif

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Whole large pages from the system, and which parts of them are free.
class Chunk {
 public:
  explicit Chunk(std::size_t bytes)
      : size_(bytes), begin_(static_cast<char*>(::operator new (bytes, std::align_val_t{kPage}))) {
#ifdef __linux__
    madvise(begin_, size_, MADV_HUGEPAGE);  // a wish: without them the pages are ordinary ones
#endif
    free_.push_back({begin_, size_});
  }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  ~Chunk() { ::operator delete (begin_, std::align_val_t{kPage}); }

  const char* begin() const { return begin_; }
  bool unused() const { return pieces_ == 0; }

  /// What has never been taken; what of it was touched in advance; whether there is more to touch;
  /// and a page of it.
  std::size_t never_taken() const { return size_ - used_; }
  std::size_t touched_ahead() const { return touched_ - used_; }
  bool has_untouched() const { return touched_ < size_; }
  void touch_page() {
    // One byte brings a large page; where there are none, each of the ordinary ones wants its own.
    const std::size_t end = std::min(size_, round_up(touched_ + 1, kPage));
    for (; touched_ < end; touched_ += kOrdinaryPage) begin_[touched_] = 0;
  }

  /// The first place where it fits, if asked only among what has been touched; none: nullptr.
  char* take(std::size_t bytes, bool touched_only) {
    const char* const end = begin_ + (touched_only ? touched_ : size_);
    const auto range = std::find_if(free_.begin(), free_.end(), [&](const Range& one) {
      return one.size >= bytes && one.begin + bytes <= end;
    });
    if (range == free_.end()) return nullptr;
    char* const piece = range->begin;
    used_ = std::max(used_, static_cast<std::size_t>(piece - begin_) + bytes);
    touched_ = std::max(touched_, round_up(used_, kPage));
    range->begin += bytes;
    range->size -= bytes;
    if (range->size == 0) free_.erase(range);
    free_.reserve(++pieces_ + 1);  // so that giving them all back needs no memory
    return piece;
  }

  void give_back(char* piece, std::size_t bytes) {
    --pieces_;
    auto range =
        std::lower_bound(free_.begin(), free_.end(), piece,
                         [](const Range& left, const char* right) { return left.begin < right; });
    range = free_.insert(range, {piece, bytes});
    const auto merge = [this](auto left, auto right) {
      if (left->begin + left->size != right->begin) return;
      left->size += right->size;
      free_.erase(right);
    };
    if (range + 1 != free_.end()) merge(range, range + 1);
    if (range != free_.begin()) merge(range - 1, range);
  }

 private:
  struct Range {
    char* begin;
    std::size_t size;
  };
  std::size_t size_;
  char* begin_;
  std::size_t used_ = 0;     // nothing beyond it has been taken yet,
  std::size_t touched_ = 0;  // and nothing beyond it touched; a multiple of kPage
  std::size_t pieces_ = 0;
  std::vector<Range> free_;  // ascending, neighbors merged
};

// The chunks by where they begin, and a few that are worth asking for room: new ones, and those
// that something was given back to lately. Asking all of them would take longer the larger a model
// is.
class Pool {
 public:
  std::mutex mutex;

  char* take(std::size_t bytes) {
    taken_ += bytes;
    latest_ = bytes;
    if (char* const piece = take_from_roomy(bytes, true)) return piece;
    if (ahead_ != nullptr && bytes <= kUsualChunk) ask_first(*std::exchange(ahead_, nullptr));
    if (char* const piece = take_from_roomy(bytes, false)) return piece;
    Chunk& chunk = add_chunk(round_up(std::max(bytes, kUsualChunk), kPage));
    ask_first(chunk);
    return chunk.take(bytes, false);
  }

  /// False if enough has been touched.
  bool touch_page_ahead() {
    const std::size_t wanted = std::min(kUsualChunk, taken_ / 2);
    const std::size_t useful = std::min(kUsualChunk, latest_);
    std::size_t ahead = 0;
    Chunk* next = nullptr;
    const auto look = [&](Chunk* chunk) {
      if (chunk == nullptr || chunk->never_taken() < useful) return;  // the end of a full one
      ahead += chunk->touched_ahead();
      if (next == nullptr && chunk->has_untouched()) next = chunk;
    };
    for (Chunk* chunk : roomy_) look(chunk);
    look(ahead_);
    if (ahead >= wanted) return false;
    if (next == nullptr) next = ahead_ = &add_chunk(kUsualChunk);
    next->touch_page();
    return true;
  }

  void give_back(char* piece, std::size_t bytes) {
    taken_ -= bytes;
    const auto at = std::prev(chunks_.upper_bound(piece));
    at->second->give_back(piece, bytes);
    ask_first(*at->second);
    // One stays: with few factors awake, each may be the only one and come and go with every row.
    if (!at->second->unused() || chunks_.size() == 1) return;
    std::move(roomy_.begin() + 1, roomy_.end(), roomy_.begin());
    roomy_.back() = nullptr;
    chunks_.erase(at);
  }

 private:
  char* take_from_roomy(std::size_t bytes, bool touched_only) {
    for (Chunk* chunk : roomy_) {
      if (chunk == nullptr) break;
      if (char* const piece = chunk->take(bytes, touched_only)) return piece;
    }
    return nullptr;
  }

  Chunk& add_chunk(std::size_t bytes) {
    auto chunk = std::make_unique<Chunk>(bytes);
    const char* const begin = chunk->begin();
    return *chunks_.emplace(begin, std::move(chunk)).first->second;
  }

  void ask_first(Chunk& chunk) {
    auto at = std::find(roomy_.begin(), roomy_.end() - 1, &chunk);  // or the last, which is dropped
    *at = &chunk;
    std::rotate(roomy_.begin(), at, at + 1);
  }

  std::size_t taken_ = 0;
  std::size_t latest_ = 0;  // the size of the latest piece
  std::map<const char*, std::unique_ptr<Chunk>> chunks_;
  std::array<Chunk*, 8> roomy_{};  // the latest first
  Chunk* ahead_ = nullptr;  // touched in advance, and asked once what they have touched is full
};

// Never destroyed: models in static objects may outlive every other static object.
Pool& pool() {
  static Pool* const only = [] {
#ifdef __linux__
    // A child process must not find it locked by a thread that it does not have.
    pthread_atfork([] { pool().mutex.lock(); }, [] { pool().mutex.unlock(); },
                   [] { pool().mutex.unlock(); });
#endif
    return new Pool;
  }();
  return *only;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (bytes < kSmallest) return ::operator new (bytes, std::align_val_t{kUnit});
  const std::size_t rounded = round_up(bytes, kUnit);
  const std::lock_guard lock(pool().mutex);
  return pool().take(rounded);
}

void release(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (bytes < kSmallest) return ::operator delete (memory, std::align_val_t{kUnit});
  const std::lock_guard lock(pool().mutex);
  pool().give_back(static_cast<char*>(memory), round_up(bytes, kUnit));
}

void touch_ahead() {
  // Page by page: nobody who needs memory waits for more than one of them.
  for (bool more = true; more;) {
    const std::lock_guard lock(pool().mutex);
    try {
      more = pool().touch_page_ahead();
    } catch (const std::bad_alloc&) {
      more = false;  // it only saves time
    }
  }
}

}  // namespace splitgp::factor_memory
