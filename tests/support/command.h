#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace splitgp::testing {

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The built splitgp command as a process of its own. Standard output and error go to files in
/// `folder`; standard input is a pipe.
class CommandProcess {
 public:
  CommandProcess(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment = {})
      : out_(folder / "stdout"), err_(folder / "stderr") {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error("fork");
    if (process_ == 0) {
      ::dup2(ends[0], STDIN_FILENO);
      redirect(out_, STDOUT_FILENO);
      redirect(err_, STDERR_FILENO);
      for (const std::string& setting : environment) {
        const std::size_t equals = setting.find('=');
        ::setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
      }
      std::vector<char*> argv{const_cast<char*>(SPLITGP_COMMAND)};
      for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
      }
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(ends[0]);
    input_ = ends[1];
  }

  ~CommandProcess() {
    if (!finished_) {
      ::kill(process_, SIGKILL);
      wait();
    }
    end_input();
  }
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;

  void send(const std::string& text) {
    if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("write to the command");
    }
  }
  void end_input() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
  }
  void signal(int number) { ::kill(process_, number); }

  /// The exit code; 128 + the signal if one killed it.
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    finished_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string out() const { return file_text(out_); }
  std::string err() const { return file_text(err_); }

 private:
  static void redirect(const std::filesystem::path& path, int to) {
    ::dup2(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
  }

  std::filesystem::path out_, err_;
  pid_t process_ = -1;
  int input_ = -1;
  bool finished_ = false;
};

struct CommandResult {
  int code = 0;
  std::string out;
  std::string err;
};

inline CommandResult run(const std::filesystem::path& folder,
                         const std::vector<std::string>& arguments, const std::string& input = "",
                         const std::vector<std::string>& environment = {}) {
  CommandProcess process(folder, arguments, environment);
  if (!input.empty()) process.send(input);
  process.end_input();
  const int code = process.wait();
  return {code, process.out(), process.err()};
}

/// Waits, for at most a minute, until the file holds `text`.
inline bool eventually_contains(const std::filesystem::path& path, const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    if (file_text(path).find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace splitgp::testing
