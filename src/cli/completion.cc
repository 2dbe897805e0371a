#include "cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <vector>

namespace splitgp {
namespace {

struct Flag {
  std::vector<std::string> names;  // with their dashes
  bool takes_value;
  std::vector<std::string> values;  // the possible values, if they are known
  std::string help;
};

// The values of an IsMember check, taken from its description, "{a,b,c}".
std::vector<std::string> choices(const CLI::Option& option) {
  std::string text = option.get_type_name();
  const std::size_t begin = text.find('{');
  const std::size_t end = text.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(text.substr(begin + 1, end - begin - 1), ',');
}

std::vector<Flag> flags_of(const CLI::App& command) {
  std::vector<Flag> result;
  for (const CLI::Option* option : command.get_options()) {
    Flag flag{
        {}, option->get_items_expected_max() > 0, choices(*option), option->get_description()};
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    if (!flag.names.empty()) result.push_back(std::move(flag));
  }
  return result;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

std::string bash(const CLI::App& app) {
  std::string values;
  std::string flags;
  for (const CLI::App* command : commands_of(app)) {
    std::vector<std::string> names;
    for (const Flag& flag : flags_of(*command)) {
      names.insert(names.end(), flag.names.begin(), flag.names.end());
      if (flag.values.empty()) continue;
      values += fmt::format("    \"{} {}\") words=\"{}\" ;;\n", command->get_name(),
                            flag.names.back(), joined(flag.values));
    }
    flags += fmt::format("      {}) words=\"{}\" ;;\n", command->get_name(), joined(names));
  }
  return "# Completion of splitgp for bash: source it, or put it where bash-completion looks.\n"
         "_splitgp() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W \"" +
         joined(command_names(app)) +
         " --help --version\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"${COMP_WORDS[1]} $previous\" in\n" +
         values +
         "    \"completion completion\") words=\"bash zsh fish\" ;;\n"
         "  esac\n"
         "  if [[ -z $words && $current == -* ]]; then\n"
         "    case ${COMP_WORDS[1]} in\n" +
         flags +
         "    esac\n"
         "  fi\n"
         "  if [[ -n $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _splitgp splitgp\n";
}

// Escapes single quotes, and zsh's brackets and colons.
std::string escaped(const std::string& text, const std::string& special) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (special.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string zsh(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    commands +=
        fmt::format("    '{}:{}'\n", command->get_name(), escaped(command->get_description(), ":"));
    cases += fmt::format("    {})\n      _arguments \\\n", command->get_name());
    for (const Flag& flag : flags_of(*command)) {
      for (const std::string& name : flag.names) {
        std::string value;
        if (flag.takes_value) value = ":value:_files";
        if (!flag.values.empty()) value = ":value:(" + joined(flag.values) + ")";
        cases += fmt::format("        '{}[{}]{}' \\\n", name, escaped(flag.help, "[]:"), value);
      }
    }
    const bool shells = command->get_name() == "completion";
    cases += fmt::format("        '*:{}' ;;\n", shells ? "shell:(bash zsh fish)" : "file:_files");
  }
  return "#compdef splitgp\n"
         "# Completion of splitgp for zsh: put it into a folder of $fpath as _splitgp.\n"
         "_splitgp() {\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local name=$words[2]\n"
         "  shift words\n"
         "  ((CURRENT--))\n"
         "  case $name in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_splitgp \"$@\"\n";
}

std::string fish(const CLI::App& app) {
  std::string result = "# Completion of splitgp for fish.\n";
  for (const CLI::App* command : commands_of(app)) {
    result += fmt::format("complete -c splitgp -n __fish_use_subcommand -f -a {} -d '{}'\n",
                          command->get_name(), escaped(command->get_description(), ""));
    for (const Flag& flag : flags_of(*command)) {
      result += fmt::format("complete -c splitgp -n '__fish_seen_subcommand_from {}'",
                            command->get_name());
      for (const std::string& name : flag.names) {
        const bool longer = name.starts_with("--");
        result += fmt::format(" {} {}", longer ? "-l" : "-s", name.substr(longer ? 2 : 1));
      }
      if (!flag.values.empty()) {
        result += fmt::format(" -x -a '{}'", joined(flag.values));
      } else if (flag.takes_value) {
        result += " -r";
      }
      result += fmt::format(" -d '{}'\n", escaped(flag.help, ""));
    }
  }
  return result +
         "complete -c splitgp -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash(app);
  return shell == "zsh" ? zsh(app) : fish(app);
}

}  // namespace splitgp
