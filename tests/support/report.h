#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/command.h"
#include "support/random_matrix.h"
#include "support/sanitized.h"
#include "support/temporary_directory.h"

namespace splitgp::testing {

/// The JSON inside a report's page.
inline nlohmann::json data_of_page(const std::string& page) {
  const std::string before = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(before);
  if (begin == std::string::npos) throw std::runtime_error("the page has no data");
  const std::size_t first = begin + before.size();
  return nlohmann::json::parse(page.substr(first, page.find("</script>", first) - first));
}

/// Rows of inputs x1, x2, … and outputs that depend on the first most, then on the second.
inline std::string report_rows(int count, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs) {
  Random random(5);
  std::string text;
  for (const std::string& name : inputs) text += name + ',';
  for (const std::string& name : outputs) text += name + (&name == &outputs.back() ? '\n' : ',');
  for (int i = 0; i < count; ++i) {
    double y = 0.1 * random.normal();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const double x = random.uniform(-1.0, 1.0);
      y += std::sin(x * 4.0 / static_cast<double>(1 + k * k));
      text += std::to_string(x) + ',';
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      text += std::to_string(y + 100.0 * static_cast<double>(o));
      text += o + 1 < outputs.size() ? ',' : '\n';
    }
  }
  return text;
}

/// Streams such rows into a model file of small local GPs, so that there are splits to see.
inline std::filesystem::path newly_streamed_model(const TemporaryDirectory& folder, int count,
                                                  const std::vector<std::string>& inputs,
                                                  const std::vector<std::string>& outputs) {
  write_text(folder / "in.csv", report_rows(count, inputs, outputs));
  std::vector<std::string> arguments{
      "stream", folder / "in.csv", "-m", folder / "model.splitgp", "-t", "", "--split-limit", "40"};
  // By number: a name may hold anything.
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (o > 0) arguments[5] += ',';
    arguments[5] += std::to_string(inputs.size() + o + 1);
  }
  const CommandResult result = run(folder.path(), quick_training(arguments));
  EXPECT_EQ(result.code, 0) << result.err;
  return folder / "model.splitgp";
}

/// A copy of that file; the tests of a process that ask for the same one train it once.
inline std::filesystem::path streamed_model(const TemporaryDirectory& folder, int count,
                                            const std::vector<std::string>& inputs,
                                            const std::vector<std::string>& outputs) {
  static const TemporaryDirectory originals;
  const std::filesystem::path original =
      originals / std::to_string(std::hash<std::string>()(report_rows(count, inputs, outputs)));
  if (!std::filesystem::exists(original)) {
    std::filesystem::copy_file(newly_streamed_model(folder, count, inputs, outputs), original);
    return folder / "model.splitgp";
  }
  std::filesystem::copy_file(original, folder / "model.splitgp");
  return folder / "model.splitgp";
}

/// Writes `report.html` in the folder.
inline std::filesystem::path report_of(const TemporaryDirectory& folder,
                                       const std::filesystem::path& model,
                                       std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"report", "-m", model, "-o", folder / "report.html"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const CommandResult result = run(folder.path(), arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
  return folder / "report.html";
}

}  // namespace splitgp::testing
