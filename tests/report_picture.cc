// A picture of a page with charts, as a reader sees it: docs/pictures/report.sh, live.sh.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "support/browser.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(
        stderr,
        "usage: report_picture PAGE.html|http://ADDRESS PICTURE.png [SELECTOR [WIDTH [dark]]]\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  try {
    splitgp::testing::Window window;
    window.width = argc > 4 ? std::atoi(argv[4]) : window.width;
    window.dark = argc > 5 && std::strcmp(argv[5], "dark") == 0;
    splitgp::testing::Browser browser;
    browser.show(window);
    const bool live = std::strncmp(argv[1], "http", 4) == 0;
    if (live) {
      browser.open_url(argv[1]);
    } else {
      browser.open(argv[1]);
    }
    browser.wait_for("document.documentElement.dataset.drawn !== undefined");
    if (live) {
      browser.wait_for(
          "document.documentElement.dataset.mapped !== undefined && "
          "document.getElementById('answer').dataset.mean !== undefined && !what_if.waiting");
    }
    browser.save_picture(argv[2], argc > 3 ? argv[3] : "html");
    for (const std::string& error : browser.errors()) std::fprintf(stderr, "%s\n", error.c_str());
    return browser.errors().empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "report_picture: %s\n", error.what());
    return 1;
  }
}
