// A picture of a report, as a reader sees it: docs/pictures/report.sh.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "support/browser.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: report_picture PAGE.html PICTURE.png [SELECTOR [WIDTH [dark]]]\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  try {
    splitgp::testing::Window window;
    window.width = argc > 4 ? std::atoi(argv[4]) : window.width;
    window.dark = argc > 5 && std::strcmp(argv[5], "dark") == 0;
    splitgp::testing::Browser browser;
    browser.show(window);
    browser.open(argv[1]);
    browser.wait_for("document.documentElement.dataset.drawn !== undefined");
    browser.save_picture(argv[2], argc > 3 ? argv[3] : "html");
    for (const std::string& error : browser.errors()) std::fprintf(stderr, "%s\n", error.c_str());
    return browser.errors().empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "report_picture: %s\n", error.what());
    return 1;
  }
}
