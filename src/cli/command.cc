#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/completion.h"
#include "cli/demo/demo.h"
#include "cli/exit_code.h"
#include "cli/flags.h"
#include "cli/forget/forget.h"
#include "cli/inspect/inspect.h"
#include "cli/predict/predict.h"
#include "cli/report/report.h"
#include "cli/serve/serve.h"
#include "cli/stream/stream.h"
#include "cli/version.h"
#include "io/byte_source.h"
#include "io/printable.h"
#include "splitgp/error.h"
#include "splitgp/model_file.h"

namespace splitgp {
namespace {

constexpr const char* kExamples = R"(
Examples:
  splitgp demo
  splitgp stream data.csv --target y --model my.splitgp
  zcat log.csv.gz | splitgp stream - --target temp,load --ignore time
  splitgp stream a.csv.xz b.ndjson --target y --model my.splitgp --predictions p.csv
  splitgp predict --model my.splitgp new.csv -o predicted.csv --keep id
  splitgp inspect --model my.splitgp
  splitgp report --model my.splitgp -o report.html
  splitgp forget --model my.splitgp --rows 10-20,57
  splitgp serve --model my.splitgp --target y

More: man splitgp; the --help of each command.)";

constexpr const char* kStreamExamples = R"(
Each row is predicted before it is learned; the table shows how well, at 1, 2, 4, 8, … rows.
To resume a model file after its last committed row, run the same command again.

Examples:
  splitgp stream data.csv --target y                      try it, and keep nothing
  splitgp stream data.csv -t y -m my.splitgp              keep the model
  sensor | splitgp stream - -t 3 --no-header -m my.splitgp --predictions -
  splitgp stream euro.csv -t y --decimal , --rejects bad.csv)";

constexpr const char* kServeExamples = R"(
Speaks the Open Inference Protocol v2 and, beyond it, learns: docs/service.md. Ends at SIGTERM.

Examples:
  splitgp serve -m my.splitgp                             a model that exists
  splitgp serve -m new.splitgp -t y                       one that begins with the first rows
  splitgp serve -m my.splitgp --listen 0.0.0.0:8443 --token-file tokens \
      --tls-cert cert.pem --tls-key key.pem --allow-host gp.example)";

// A file of flags, such as target = "y", either at the top or under [stream].
class FlagFile : public CLI::ConfigTOML {
 public:
  explicit FlagFile(const CLI::App& app) : app_(app) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& in) const override {
    std::vector<CLI::ConfigItem> flags = CLI::ConfigTOML::from_config(in);
    for (CLI::ConfigItem& flag : flags) {
      if (flag.parents.empty()) flag.parents = {"stream"};
      require_known(flag);
    }
    return flags;
  }

 private:
  // CLI11 ignores keys it does not know, or reports them without a reason.
  void require_known(const CLI::ConfigItem& flag) const {
    const bool mark = flag.name == "++" || flag.name == "--";  // the start or end of a [section]
    const std::string name = fmt::format("{}", fmt::join(flag.parents, "."));
    if (name != "stream") {
      throw CommandError(
          kUsage, mark ? fmt::format("--config: unknown section [{}]; only [stream] is read", name)
                       : fmt::format("--config: stream has no flag '{}'", flag.fullname()));
    }
    if (!mark && !is_flag(*app_.get_subcommand("stream"), flag.name)) {
      throw CommandError(kUsage, fmt::format("--config: stream has no flag '{}'", flag.name));
    }
  }

  // By the names that CLI11 will look for.
  static bool is_flag(const CLI::App& command, const std::string& name) {
    return command.get_option_no_throw("--" + name) != nullptr ||
           (name.size() == 1 && command.get_option_no_throw("-" + name) != nullptr) ||
           command.get_option_no_throw(name) != nullptr;
  }

  const CLI::App& app_;
};

// CLI11 may explain an error in several lines; we print one.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

struct Command {
  CLI::App app{"Streaming Gaussian-process regression with bounded updates", "splitgp"};
  StreamFlags stream;
  PredictFlags predict;
  InspectFlags inspect;
  ReportFlags report;
  ForgetFlags forget;
  ServeFlags serve;
  DemoFlags demo;
  std::string shell;
  std::function<int()> run;

  Command() {
    app.require_subcommand(1);
    app.set_version_flag("--version", [] { return version_text(); });
    app.footer(kExamples);
    app.get_formatter()->column_width(34);
    app.config_formatter(std::make_shared<FlagFile>(app));
    app.set_config("--config", "", "Read flags of stream from a file, such as target = \"y\"")
        ->type_name("FILE");

    CLI::App* const stream_command =
        app.add_subcommand("stream", "Learn from rows as they arrive, predicting each one first");
    stream_command->fallthrough();  // for --config
    stream_command->footer(kStreamExamples);
    add_flags(*stream_command, stream);
    stream_command->callback([this] {
      run = [this] {
        const CLI::Option* const config = app.get_config_ptr();
        if (config->count() > 0) stream.config = config->as<std::string>();
        return run_stream(stream);
      };
    });

    CLI::App* const predict_command =
        app.add_subcommand("predict", "Add predictions to rows, without learning from them");
    add_flags(*predict_command, predict);
    predict_command->callback([this] { run = [this] { return run_predict(predict); }; });

    CLI::App* const inspect_command =
        app.add_subcommand("inspect", "Show what a model has learned");
    add_flags(*inspect_command, inspect);
    inspect_command->callback([this] { run = [this] { return run_inspect(inspect); }; });

    CLI::App* const report_command =
        app.add_subcommand("report", "Write a page of charts about a model, to open in a browser");
    add_flags(*report_command, report);
    report_command->callback([this] { run = [this] { return run_report(report); }; });

    CLI::App* const forget_command =
        app.add_subcommand("forget", "Take observations back, from the model and from its file");
    add_flags(*forget_command, forget);
    forget_command->callback([this] { run = [this] { return run_forget(forget); }; });

    CLI::App* const serve_command = app.add_subcommand("serve", "Learn and answer over HTTP");
    serve_command->footer(kServeExamples);
    add_flags(*serve_command, serve);
    serve_command->callback([this] { run = [this] { return run_serve(serve); }; });

    CLI::App* const demo_command =
        app.add_subcommand("demo", "Watch a model learn the paper's synthetic function");
    add_flags(*demo_command, demo);
    demo_command->callback([this] { run = [this] { return run_demo(demo); }; });

    CLI::App* const completion_command =
        app.add_subcommand("completion", "Print a completion script for a shell");
    completion_command->add_option("SHELL", shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completion_command->callback([this] {
      run = [this] {
        fmt::print("{}", completion_script(app, shell));
        return static_cast<int>(kSuccess);
      };
    });
  }
};

int fail(int code, const std::string& message) {
  std::fflush(stdout);
  // The message may contain a file's name, or text from one.
  fmt::print(stderr, "splitgp: {}\n", printable(one_line(message)));
  return code;
}

// Empty if the command is known, or if there is none.
std::string unknown_command(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining();
  if (!app.get_subcommands().empty() || left.empty() || left.front().starts_with('-')) return "";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return fmt::format("unknown command '{}'; the commands are {}", left.front(),
                     fmt::join(names, ", "));
}

int parse_and_run(int argc, const char* const* argv) {
  Command command;
  try {
    command.app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return command.app.exit(asked);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_command(command.app);
    return fail(kUsage, (unknown.empty() ? error.what() : unknown) + " (see --help)");
  }
  return command.run();
}

}  // namespace

int run_command(int argc, const char* const* argv) {
  try {
    const int code = parse_and_run(argc, argv);
    // What was printed may still be in memory, and the disk it is meant for full.
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    const std::string why = errno == 0 ? "" : ": " + std::generic_category().message(errno);
    return fail(kFailure, "standard output: cannot be written" + why);
  } catch (const CommandError& error) {
    return fail(error.code(), error.what());
  } catch (const InvalidArgument& error) {  // of a flag's value
    return fail(kUsage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kFailure, "out of memory");
  } catch (const std::exception& error) {  // ReadError, FileError: they name the file
    return fail(kFailure, error.what());
  }
}

}  // namespace splitgp
