#pragma once

#include <memory>
#include <string>

#include "io/byte_source.h"

namespace splitgp {

/// Decompresses gzip, xz and zstd, recognised by their first bytes; anything else passes unchanged.
/// What a compressor has flushed into a pipe is available at once. `name` is for errors: a damaged
/// or truncated stream is a ReadError, after everything before the damage has been read.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> packed, std::string name);

}  // namespace splitgp
