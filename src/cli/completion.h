#pragma once

#include <string>

namespace CLI {
class App;
}

namespace splitgp {

/// A completion script for "bash", "zsh" or "fish", made from the commands and flags that `app`
/// has.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace splitgp
