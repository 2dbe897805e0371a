#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace splitgp::serve {

/// Bytes of one number of a datatype of the Open Inference Protocol; 0: there is no such datatype.
std::size_t bytes_of(std::string_view datatype);

/// Appends the numbers that are sent as little-endian bytes. REQUIRES: bytes_of(datatype) > 0, and
/// whole numbers.
void read_binary_numbers(std::string_view bytes, std::string_view datatype,
                         std::vector<double>& to);

/// Appends the texts of a tensor of `most` elements, each with four bytes of length before it.
/// Throws RequestError, with the tensor's name, if the bytes are others.
void read_binary_texts(std::string_view bytes, std::size_t most, const std::string& name,
                       std::vector<std::string>& to);

}  // namespace splitgp::serve
