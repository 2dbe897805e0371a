#pragma once

#include <string>
#include <vector>

namespace splitgp {

/// `splitgp report`: a page about a model that opens in a browser and needs no network.
struct ReportFlags {
  std::string model;
  std::string output = "report.html";
  std::vector<std::string> inputs;
};

/// Returns the exit code; throws CommandError, FileError.
int run_report(const ReportFlags& flags);

}  // namespace splitgp
