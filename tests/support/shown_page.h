#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/browser.h"
#include "support/temporary_directory.h"

namespace splitgp::testing {

/// What the report and the live page have in common, once they are shown.

/// Chooses a value of a <select>, as a person would.
inline void choose(Browser& browser, const std::string& select, int value) {
  browser.evaluate("{ const select = document.getElementById('" + select + "'); select.value = " +
                   std::to_string(value) + "; select.dispatchEvent(new Event('change')); }");
}

/// On a dark phone colours change and nothing is wider than the screen. `title` selects the title
/// of an axis of the chart "error". A picture of the page is left in `folder`.
inline void expect_follows_light_dark_and_width(Browser& browser, const std::string& title,
                                                const std::filesystem::path& folder) {
  const std::string ink = "getComputedStyle(document.querySelector('" + title +
                          "')).fill + getComputedStyle(document.body).backgroundColor";
  const nlohmann::json light = browser.evaluate(ink);
  Window window;
  window.width = 390;  // a phone
  window.height = 800;
  window.dark = true;
  browser.show(window);
  browser.wait_for(
      "document.querySelector('#error .main-svg').getBoundingClientRect().width < 390");
  browser.wait_for("(" + ink + ") !== " + light.dump());
  EXPECT_LE(browser.evaluate("document.documentElement.scrollWidth"), 390);
  browser.save_picture(folder / "page.png");
  const std::string picture = file_text(folder / "page.png");
  EXPECT_TRUE(picture.starts_with("\x89PNG"));
  EXPECT_GT(picture.size(), 100'000u) << "a blank page is far smaller";
}

}  // namespace splitgp::testing
