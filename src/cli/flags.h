#pragma once

namespace CLI {
class App;
}

namespace splitgp {

struct DemoFlags;
struct ForgetFlags;
struct InspectFlags;
struct PredictFlags;
struct ReportFlags;
struct ServeFlags;
struct StreamFlags;

/// Adds a command's flags to its parser. All in one place, because whatever includes CLI11 takes
/// seconds longer to compile; the commands themselves do not know of it.
void add_flags(CLI::App& command, StreamFlags& flags);
void add_flags(CLI::App& command, PredictFlags& flags);
void add_flags(CLI::App& command, InspectFlags& flags);
void add_flags(CLI::App& command, ReportFlags& flags);
void add_flags(CLI::App& command, ForgetFlags& flags);
void add_flags(CLI::App& command, ServeFlags& flags);
void add_flags(CLI::App& command, DemoFlags& flags);

}  // namespace splitgp
