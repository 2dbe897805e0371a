#include <fmt/core.h>

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app("Streaming Gaussian-process regression", "splitgp");
  app.allow_extras();
  CLI11_PARSE(app, argc, argv);
  fmt::print("{}", app.help());
  return 0;
}
