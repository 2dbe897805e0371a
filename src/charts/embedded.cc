#include "charts/embedded.h"

#include <zlib.h>

#include <stdexcept>

#include "charts/embed.h"

SPLITGP_EMBED(library_gz, "library.js.gz")
SPLITGP_EMBED(licence, "licence.txt")
SPLITGP_EMBED(style, "style.css")

namespace splitgp {

std::string_view charting_library_gz() { return library_gz(); }
std::string_view charting_licence() { return licence(); }
std::string_view charting_style() { return style(); }

std::string gunzipped(std::string_view gz) {
  z_stream stream{};
  constexpr int kGzip = 16;  // in place of zlib's own header
  if (inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK) throw std::bad_alloc();
  // zlib does not write through this pointer.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gz.data()));
  stream.avail_in = static_cast<uInt>(gz.size());
  std::string result;
  char buffer[65536];
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    status = inflate(&stream, Z_NO_FLUSH);
    result.append(buffer, sizeof buffer - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::logic_error("the embedded charting library is damaged");
  return result;
}

}  // namespace splitgp
