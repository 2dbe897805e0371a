#include "io/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace splitgp {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view kGzip = "\x1f\x8b"sv;
constexpr std::string_view kXz =
    "\xfd"
    "7zXZ\0"sv;
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd"sv;

// A source with bytes that were already read put back in front.
class Rewound : public ByteSource {
 public:
  Rewound(std::string front, std::unique_ptr<ByteSource> rest)
      : front_(std::move(front)), rest_(std::move(rest)) {}

  std::size_t read(char* to, std::size_t most) override {
    if (front_.empty()) return rest_->read(to, most);
    const std::size_t count = front_.copy(to, most);
    front_.erase(0, count);
    return count;
  }

 private:
  std::string front_;
  std::unique_ptr<ByteSource> rest_;
};

// What the three formats share: feed compressed bytes until something comes out.
class Decompressor : public ByteSource {
 public:
  Decompressor(std::unique_ptr<ByteSource> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t most) override {
    while (true) {
      // First what the decoder holds already: more input may be long in coming.
      const std::size_t made = decode(to, most);
      if (made > 0) return made;
      if (ended_) {
        if (between_members()) return 0;
        throw ReadError(name_ + ": the compressed data is truncated");
      }
      if (begin_ == end_) {
        const std::size_t got = packed_->read(buffer_.data(), buffer_.size());
        begin_ = 0;  // not before: a read that throws may be repeated
        end_ = got;
        ended_ = end_ == 0;
      }
    }
  }

 protected:
  // Advances begin_; returns the number of bytes produced. Also called with no input left.
  virtual std::size_t decode(char* to, std::size_t most) = 0;
  // Whether the input may end here, between members.
  virtual bool between_members() const = 0;

  [[noreturn]] void damaged(const std::string& detail) const {
    throw ReadError(name_ + ": the compressed data is damaged (" + detail + ")");
  }
  const char* input() const { return buffer_.data() + begin_; }
  std::size_t input_size() const { return end_ - begin_; }
  void consume(std::size_t count) { begin_ += count; }
  bool input_ended() const { return ended_; }

 private:
  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  // Small, so that the position in a small file still shows progress.
  std::vector<char> buffer_ = std::vector<char>(1 << 13);
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
};

class GzipSource : public Decompressor {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string name)
      : Decompressor(std::move(packed), std::move(name)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 private:
  std::size_t decode(char* to, std::size_t most) override {
    if (between_members_) {
      if (input_size() == 0) return 0;
      inflateReset(&stream_);  // one member may follow another
      between_members_ = false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input()));
    stream_.avail_in = static_cast<uInt>(input_size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(most, 1 << 30));
    const uInt room = stream_.avail_out;
    const int status = inflate(&stream_, Z_SYNC_FLUSH);
    consume(input_size() - stream_.avail_in);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      damaged(stream_.msg != nullptr ? stream_.msg : "gzip");
    }
    return room - stream_.avail_out;
  }
  bool between_members() const override { return between_members_; }

  z_stream stream_{};
  bool between_members_ = false;
};

class XzSource : public Decompressor {
 public:
  XzSource(std::unique_ptr<ByteSource> packed, std::string name)
      : Decompressor(std::move(packed), std::move(name)) {
    // Many times what `xz -9` needs; without a limit, a damaged header could demand any amount.
    constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;
    if (lzma_stream_decoder(&stream_, kMemory, LZMA_CONCATENATED) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~XzSource() override { lzma_end(&stream_); }

 private:
  std::size_t decode(char* to, std::size_t most) override {
    if (ended_) return 0;
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(input());
    stream_.avail_in = input_size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = most;
    const lzma_ret status = lzma_code(&stream_, input_ended() ? LZMA_FINISH : LZMA_RUN);
    consume(input_size() - stream_.avail_in);
    if (status == LZMA_STREAM_END) {
      ended_ = true;
    } else if (status != LZMA_OK && status != LZMA_BUF_ERROR) {
      damaged(status == LZMA_MEMLIMIT_ERROR ? "xz: needs too much memory" : "xz");
    }
    return most - stream_.avail_out;
  }
  bool between_members() const override { return ended_; }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

class ZstdSource : public Decompressor {
 public:
  ZstdSource(std::unique_ptr<ByteSource> packed, std::string name)
      : Decompressor(std::move(packed), std::move(name)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

 private:
  std::size_t decode(char* to, std::size_t most) override {
    if (between_frames_ && input_size() == 0) return 0;
    ZSTD_inBuffer in{input(), input_size(), 0};
    ZSTD_outBuffer out{to, most, 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(status) != 0U) damaged(std::string("zstd: ") + ZSTD_getErrorName(status));
    consume(in.pos);
    between_frames_ = status == 0;
    return out.pos;
  }
  bool between_members() const override { return between_frames_; }

  ZSTD_DStream* stream_;
  bool between_frames_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> packed, std::string name) {
  // Reads no more bytes than necessary: the first byte of text rules out all formats, and in a pipe
  // the next one may be long in coming.
  std::string front;
  const auto may_be = [&front](std::string_view magic) {
    return magic.substr(0, front.size()) == front.substr(0, magic.size());
  };
  const auto is = [&](std::string_view magic) {
    return front.size() >= magic.size() && may_be(magic);
  };
  while (may_be(kGzip) || may_be(kXz) || may_be(kZstd)) {
    if (is(kGzip) || is(kXz) || is(kZstd)) break;
    char next = 0;
    if (packed->read(&next, 1) == 0) break;
    front += next;
  }
  const bool gzip = is(kGzip);
  const bool xz = is(kXz);
  const bool zstd = is(kZstd);
  auto whole = std::make_unique<Rewound>(std::move(front), std::move(packed));
  if (gzip) return std::make_unique<GzipSource>(std::move(whole), std::move(name));
  if (xz) return std::make_unique<XzSource>(std::move(whole), std::move(name));
  if (zstd) return std::make_unique<ZstdSource>(std::move(whole), std::move(name));
  return whole;
}

}  // namespace splitgp
