#include "cli/flags.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/demo/demo.h"
#include "cli/forget/forget.h"
#include "cli/inspect/inspect.h"
#include "cli/number_checks.h"
#include "cli/predict/predict.h"
#include "cli/report/report.h"
#include "cli/serve/serve.h"
#include "cli/stream/stream.h"

namespace splitgp {
namespace {

constexpr const char* kInput =
    "CSV, TSV or NDJSON, plain or compressed with gzip, xz or zstd; - is standard input";
constexpr const char* kRejects = "Write the number, line and reason of each rejected row, as CSV";
constexpr const char* kStrict = "Stop at the first bad row";

CLI::Option* add_columns(CLI::App& command, const std::string& name,
                         std::vector<std::string>& columns, const std::string& help) {
  return command.add_option(name, columns, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("COL[,COL]");
}

CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& path,
                      const std::string& help) {
  return command.add_option(name, path, help)->type_name("FILE");
}

void add_input_flags(CLI::App& command, InputFlags& flags) {
  const char* const group = "Input text";
  command.add_option("--format", flags.format, "Input format; auto detects it (auto)")
      ->check(CLI::IsMember({"auto", "csv", "tsv", "ndjson"}))
      ->group(group);
  command
      .add_option("--separator", flags.separator,
                  "Column separator of CSV: one character, or tab (the most frequent of , ; tab | "
                  "in the header)")
      ->group(group);
  command.add_option("--decimal", flags.decimal, "Decimal mark of CSV: . or , (found)")
      ->check(CLI::IsMember({".", ","}))
      ->group(group);
  command
      .add_flag("--no-header", flags.no_header,
                "The first line of CSV is data; columns are named 1, 2, 3, …")
      ->group(group);
}

}  // namespace

void add_flags(CLI::App& command, StreamFlags& flags) {
  command.add_option("INPUT", flags.paths, kInput)->required();
  add_columns(command, "-t,--target", flags.targets,
              "Columns to predict, by name or number (from 1)");
  add_columns(command, "--inputs", flags.inputs,
              "Columns to predict from (all others that can help)");
  add_columns(command, "--ignore", flags.ignored, "Columns to leave out");
  add_file(command, "-m,--model", flags.model,
           "Model file to create, or to resume if it exists (the model is not kept)");
  add_file(command, "--predictions", flags.predictions,
           "Write each row's prediction and observed value, as CSV; - is standard output");
  add_file(command, "--rejects", flags.rejects, kRejects);
  add_file(command, "--events", flags.events,
           "Write drift, splits, trainings, rejected and forgotten rows, as NDJSON");
  command.add_flag("--strict", flags.strict, kStrict);
  command.add_flag("--test-only", flags.test_only, "Predict and score, but do not learn");
  command.add_option("--limit", flags.limit, "Stop after N rows in this run")
      ->check(count_from(0))
      ->type_name("N");

  const char* const group = "Commits";
  command
      .add_option(
          "--durability", flags.durability,
          "What a commit survives: full, a power loss; normal, a crash of the process (full)")
      ->check(CLI::IsMember({"full", "normal"}))
      ->group(group);
  command.add_option("--batch", flags.batch, "Commit at least every N rows (1024)")
      ->check(count_from(1))
      ->type_name("N")
      ->group(group);
  command
      .add_option("--commit-every", flags.commit_every, "Commit at least every SECONDS seconds (1)")
      ->check(finite_from_zero())
      ->type_name("SECONDS")
      ->group(group);
  command
      .add_flag("--reread", flags.reread,
                "Learn all rows of the inputs, even those read in earlier runs")
      ->group(group);
  command
      .add_flag(
          "--resume-stdin", flags.resume_stdin,
          "Standard input starts from the beginning again: skip the rows read in earlier runs")
      ->group(group);
  command.add_flag("--explain-recipe", flags.explain_recipe,
                   "Print what the columns are taken for, as flags that --config reads, and stop");
  flags.table_flags.add_to(command);
  add_input_flags(command, flags.input_flags);
  flags.model_flags.add_to(command);
}

void add_flags(CLI::App& command, PredictFlags& flags) {
  command.add_option("INPUT", flags.path, kInput)->required();
  add_file(command, "-m,--model", flags.model, "Model file")->required();
  add_file(command, "-o,--output", flags.output, "File to write; - is standard output (-)");
  command
      .add_option("--to", flags.to,
                  "Output format (csv, or ndjson if FILE ends in .ndjson or .jsonl)")
      ->check(CLI::IsMember({"csv", "ndjson"}));
  add_columns(command, "--keep", flags.kept,
              "Columns to copy to the output, by name or number, or none (all)");
  command
      .add_option("--ahead", flags.ahead,
                  "When rows are for: a number of rows after the last one learned, `rows` if row k "
                  "is k rows later, or `unknown`; default: rows if the table has a time, else 1")
      ->option_text("N|rows|unknown");
  command.add_flag("--gradient", flags.gradient,
                   "Add the derivatives of each mean by each input, as dTARGET/dINPUT");
  add_file(command, "--rejects", flags.rejects, kRejects);
  command.add_flag("--strict", flags.strict, kStrict);
  command.add_option("--threads", flags.threads, "Number of threads (1)")
      ->check(CLI::PositiveNumber);
  add_input_flags(command, flags.input_flags);
}

void add_flags(CLI::App& command, InspectFlags& flags) {
  add_file(command, "-m,--model", flags.model, "Model file")->required();
  command.add_flag("--json", flags.json, "Print everything, as JSON");
  command
      .add_option("--local-gps", flags.local_gps, "Number of local GPs to list, largest first (10)")
      ->check(count_from(0))
      ->type_name("N");
}

void add_flags(CLI::App& command, ReportFlags& flags) {
  add_file(command, "-m,--model", flags.model, "Model file")->required();
  add_file(command, "-o,--output", flags.output,
           "Page to write; - is standard output (report.html)");
  add_columns(command, "--inputs", flags.inputs,
              "The two inputs of the map, by name or number (the two most relevant)")
      ->type_name("COL,COL");
}

void add_flags(CLI::App& command, ForgetFlags& flags) {
  add_file(command, "-m,--model", flags.model, "Model file")->required();
  CLI::Option* const rows =
      command
          .add_option("--rows", flags.rows,
                      "Observations to forget, such as 10-20,57: their numbers, counted from 1 in "
                      "the order they were learned")
          ->type_name("N[-N][,…]");
  command.add_option("--before", flags.before, "Forget all observations with smaller numbers")
      ->check(count_from(1))
      ->type_name("N")
      ->excludes(rows);
}

void add_flags(CLI::App& command, ServeFlags& flags) {
  add_file(command, "-m,--model", flags.model,
           "Model file; if it does not exist it is made when the first rows come")
      ->required();
  add_columns(command, "-t,--target", flags.stream.targets, "Columns to predict, of a new model");
  add_columns(command, "--inputs", flags.stream.inputs,
              "Columns to predict from (all others that can help)");
  add_columns(command, "--ignore", flags.stream.ignored, "Columns to leave out");
  command.add_option("--listen", flags.listen, "Where to listen (127.0.0.1:8080); port 0: any")
      ->type_name("ADDRESS:PORT");
  command
      .add_option("--name", flags.name,
                  "What the model is called in addresses (the file's name without its ending)")
      ->type_name("NAME");
  command.add_option("--log", flags.log, "One line for each request: text, json or none (text)")
      ->check(CLI::IsMember({"text", "json", "none"}));
  command
      .add_option("--durability", flags.durability,
                  "What an acknowledged row survives: full, a power loss; normal, a crash of the "
                  "process (full)")
      ->check(CLI::IsMember({"full", "normal"}));

  const char* const security = "Who may ask";
  add_file(command, "--token-file", flags.token_file,
           "Tokens, one a line: predict,learn,admin TOKEN; mode 600")
      ->group(security);
  add_file(command, "--tls-cert", flags.tls_cert, "Certificate chain, PEM")->group(security);
  add_file(command, "--tls-key", flags.tls_key, "Its private key, PEM")->group(security);
  command
      .add_flag("--insecure", flags.insecure,
                "Listen beyond this machine without tokens or TLS: something else protects it")
      ->group(security);
  command
      .add_option("--allow-host", flags.allow_host,
                  "A name that this server goes by, beside localhost and addresses")
      ->type_name("NAME")
      ->group(security);
  command
      .add_option("--allow-origin", flags.allow_origin,
                  "Pages of this origin may ask, such as https://panel.example")
      ->type_name("ORIGIN")
      ->group(security);

  const char* const limits = "Limits";
  const auto add_limit = [&command, limits](const char* name, auto& value, const char* help) {
    command.add_option(name, value, help)->check(count_from(1))->type_name("N")->group(limits);
  };
  add_limit("--max-body", flags.max_body, "MiB in one request (8)");
  add_limit("--max-rows", flags.max_rows, "Rows in one request (100000)");
  add_limit("--max-queue", flags.max_queue, "Rows that wait to be learned (50000)");
  add_limit("--max-connections", flags.max_connections, "Open connections (8192)");
  add_limit("--max-viewers", flags.max_viewers, "Viewers of the live page (64)");
  add_limit("--max-waiting", flags.max_waiting,
            "Predicted rows that wait for their labels; the oldest go first (100000)");
  add_limit("--remember-ids", flags.remember_ids,
            "Ids of learned rows to remember; the oldest go first (1000000)");
  add_limit("--http-threads", flags.http_threads, "Threads that read and answer (processors)");
  flags.stream.table_flags.add_to(command);
  flags.stream.model_flags.usual_training = Training::background;
  flags.stream.model_flags.add_to(command);
}

void add_flags(CLI::App& command, DemoFlags& flags) {
  command.add_option("--rows", flags.rows, "Number of rows (8192)")->check(count_from(1));
  command.add_option("--seed", flags.seed, "Seed of the random rows (1)")->check(count_from(0));
}

}  // namespace splitgp
