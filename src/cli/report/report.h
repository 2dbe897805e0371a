#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace splitgp {

/// `splitgp report`: one page about a model that opens in a browser, without a network.
struct ReportFlags {
  std::string model;
  std::string output = "report.html";
  std::vector<std::string> inputs;

  void add_to(CLI::App& command);
};

/// Returns the exit code; throws CommandError, FileError.
int run_report(const ReportFlags& flags);

}  // namespace splitgp
