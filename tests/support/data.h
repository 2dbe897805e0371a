#pragma once

#include <zlib.h>

#include <Eigen/Core>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace splitgp::testing {

/// Where data sets are looked for: $SPLITGP_DATA, else ../shared/data beside the repository.
inline std::filesystem::path data_folder() {
  const char* chosen = std::getenv("SPLITGP_DATA");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return std::filesystem::path(SPLITGP_SOURCE_DIR).parent_path() / "shared" / "data";
}

inline std::string read_gzip(const std::filesystem::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + path.string());
  std::string text;
  std::vector<char> buffer(1 << 16);
  int got = 0;
  while ((got = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  const bool complete = got == 0 && gzeof(file) != 0;
  if (gzclose(file) != Z_OK || !complete) throw std::runtime_error("cannot read " + path.string());
  return text;
}

/// Numbers under one header row; each row of the file becomes a column. Throws if a row is not what
/// the header says.
inline Eigen::MatrixXd parse_csv(std::string_view text) {
  std::vector<double> values;
  Eigen::Index width = 0;
  Eigen::Index rows = -1;  // the header is not one
  for (; !text.empty(); ++rows) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (rows < 0) {
      width = 1 + std::count(line.begin(), line.end(), ',');
      continue;
    }
    const char* at = line.data();
    const char* const end = line.data() + line.size();
    for (Eigen::Index k = 0; k < width; ++k) {
      double value = 0.0;
      const auto [next, error] = std::from_chars(at, end, value);
      const bool last = k + 1 == width;
      if (error != std::errc() || (last ? next != end : next == end || *next != ',')) {
        throw std::runtime_error("row " + std::to_string(rows) +
                                 " is not numbers: " + std::string(line));
      }
      values.push_back(value);
      at = next + 1;
    }
  }
  return Eigen::Map<const Eigen::MatrixXd>(values.data(), width, rows);
}

/// A data set by name, observations as columns, outputs last; empty if it is not there.
inline std::optional<Eigen::MatrixXd> load(const std::string& name) {
  const std::filesystem::path path = data_folder() / (name + ".csv.gz");
  if (!std::filesystem::exists(path)) return std::nullopt;
  return parse_csv(read_gzip(path));
}

}  // namespace splitgp::testing
