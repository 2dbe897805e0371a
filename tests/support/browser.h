#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_directory.h"

namespace splitgp::testing {

struct Window {
  int width = 1280;
  int height = 900;
  bool dark = false;
  double pixels = 1.0;  ///< Screen pixels per page pixel.
};

/// A real browser, headless Chromium, with one page in it. It is driven over a pipe by the DevTools
/// protocol (https://chromedevtools.github.io/devtools-protocol/), with a profile of its own.
/// Everything that goes wrong in the page is kept. Throws std::runtime_error if there is no
/// browser, or no answer within three minutes.
class Browser {
 public:
  Browser() {
    start();
    const nlohmann::json target = call("Target.createTarget", {{"url", "about:blank"}});
    session_ =
        call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}})
            .at("sessionId");
    for (const char* domain : {"Page", "Runtime", "Network", "Log"}) {
      call(std::string(domain) + ".enable");
    }
  }

  ~Browser() {
    // Its helper processes are in the same group.
    ::kill(-process_, SIGKILL);
    int status = 0;
    ::waitpid(process_, &status, 0);
    ::close(commands_);
    ::close(answers_);
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void show(const Window& window) {
    call("Emulation.setDeviceMetricsOverride", {{"width", window.width},
                                                {"height", window.height},
                                                {"deviceScaleFactor", window.pixels},
                                                {"mobile", false}});
    call("Emulation.setEmulatedMedia",
         {{"features",
           {{{"name", "prefers-color-scheme"}, {"value", window.dark ? "dark" : "light"}}}}});
  }

  /// Opens a file and waits until its scripts have run.
  void open(const std::filesystem::path& page) {
    open_url("file://" + std::filesystem::absolute(page).string());
  }
  void open_url(const std::string& url) {
    call("Page.navigate", {{"url", url}});
    wait_for("document.readyState === 'complete'");
  }

  /// The value of an expression, promises awaited.
  nlohmann::json evaluate(const std::string& expression) {
    const nlohmann::json answer =
        call("Runtime.evaluate",
             {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
    if (answer.contains("exceptionDetails")) {
      throw std::runtime_error(expression + ": " + answer.at("exceptionDetails").dump());
    }
    return answer.at("result").value("value", nlohmann::json());
  }

  /// Waits until the expression is true.
  void wait_for(const std::string& expression) {
    const auto deadline = Clock::now() + kPatience;
    while (evaluate(expression) != true) {
      if (Clock::now() > deadline) throw std::runtime_error("never came true: " + expression);
      ::usleep(20'000);
    }
  }

  /// Presses a key that has no character, such as "ArrowRight".
  void press(const std::string& key, int code) {
    for (const char* type : {"keyDown", "keyUp"}) {
      call("Input.dispatchKeyEvent",
           {{"type", type}, {"key", key}, {"code", key}, {"windowsVirtualKeyCode", code}});
    }
  }

  /// PNG of the whole page, or of the element that `selector` finds.
  void save_picture(const std::filesystem::path& path, const std::string& selector = "html") {
    const nlohmann::json box =
        evaluate("{ const box = document.querySelector('" + selector +
                 "').getBoundingClientRect(); ({ x: box.x + scrollX, y: box.y + scrollY, "
                 "width: box.width, height: box.height, scale: 1 }) }");
    const nlohmann::json answer =
        call("Page.captureScreenshot",
             {{"format", "png"}, {"captureBeyondViewport", true}, {"clip", box}});
    std::ofstream(path, std::ios::binary) << from_base64(answer.at("data").get<std::string>());
  }

  /// Exceptions, and complaints of the browser itself.
  const std::vector<std::string>& errors() const { return errors_; }
  /// Everything the page asked for, but for data within it.
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{180};

  void start() {
    int commands[2];
    int answers[2];
    if (::pipe2(commands, O_CLOEXEC) != 0 || ::pipe2(answers, O_CLOEXEC) != 0) {
      throw std::runtime_error("pipe2");
    }
    const std::string profile = "--user-data-dir=" + folder_.path().string();
    const std::string log = (folder_ / "log").string();
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error("fork");
    if (process_ == 0) {
      ::setpgid(0, 0);
      // The protocol's descriptors are 3 and 4, whatever the pipes' own are.
      const int in = ::fcntl(commands[0], F_DUPFD, 10);
      const int out = ::fcntl(answers[1], F_DUPFD, 10);
      ::dup2(in, 3);
      ::dup2(out, 4);
      ::close(in);
      ::close(out);
      ::dup2(::open(log.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
      ::dup2(STDOUT_FILENO, STDERR_FILENO);
      ::setenv("HOME", folder_.path().c_str(), 1);
      for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
        // No sandbox: it does not work as root or in many containers, and the page is our own.
        ::execlp(name, name, "--headless", "--remote-debugging-pipe", "--no-sandbox",
                 "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 "--disable-extensions", "--hide-scrollbars", profile.c_str(), nullptr);
      }
      ::_exit(127);
    }
    ::setpgid(process_, process_);
    ::close(commands[0]);
    ::close(answers[1]);
    commands_ = commands[1];
    answers_ = answers[0];
  }

  nlohmann::json call(const std::string& method,
                      nlohmann::json parameters = nlohmann::json::object()) {
    const int id = ++last_id_;
    nlohmann::json message{{"id", id}, {"method", method}, {"params", std::move(parameters)}};
    if (!session_.empty()) message["sessionId"] = session_;
    send(message.dump());
    while (true) {
      nlohmann::json answer = receive();
      if (answer.value("id", 0) != id) {
        remember(answer);
        continue;
      }
      if (answer.contains("error")) {
        throw std::runtime_error(method + ": " + answer.at("error").dump());
      }
      return answer.at("result");
    }
  }

  void remember(const nlohmann::json& event) {
    const std::string method = event.value("method", "");
    if (method == "Runtime.exceptionThrown") {
      errors_.push_back(event.at("params").at("exceptionDetails").dump());
    } else if (method == "Log.entryAdded") {
      const nlohmann::json& entry = event.at("params").at("entry");
      if (entry.at("level") == "error") errors_.push_back(entry.dump());
    } else if (method == "Runtime.consoleAPICalled") {
      if (event.at("params").at("type") == "error") errors_.push_back(event.dump());
    } else if (method == "Network.requestWillBeSent") {
      const std::string url = event.at("params").at("request").at("url");
      if (!url.starts_with("data:") && !url.starts_with("blob:")) requests_.push_back(url);
    }
  }

  // Messages end with a zero byte.
  void send(const std::string& text) {
    std::string_view rest(text.c_str(), text.size() + 1);
    while (!rest.empty()) {
      const ssize_t written = ::write(commands_, rest.data(), rest.size());
      if (written <= 0) throw std::runtime_error("the browser has gone; is chromium installed?");
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  nlohmann::json receive() {
    const auto deadline = Clock::now() + kPatience;
    std::size_t end = received_.find('\0');
    while (end == std::string::npos) {
      pollfd ready{answers_, POLLIN, 0};
      if (::poll(&ready, 1, 1000) > 0) {
        char buffer[65536];
        const ssize_t count = ::read(answers_, buffer, sizeof buffer);
        if (count <= 0) throw std::runtime_error("the browser has gone; is chromium installed?");
        end = std::string_view(buffer, static_cast<std::size_t>(count)).find('\0');
        if (end != std::string_view::npos) end += received_.size();
        received_.append(buffer, static_cast<std::size_t>(count));
      } else if (Clock::now() > deadline) {
        throw std::runtime_error("the browser does not answer");
      }
    }
    nlohmann::json message = nlohmann::json::parse(received_.substr(0, end));
    received_.erase(0, end + 1);
    return message;
  }

  static std::string from_base64(const std::string& text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
      const std::size_t digit = kDigits.find(c);
      if (digit == std::string_view::npos) break;
      bits = (bits << 6 | static_cast<unsigned>(digit)) & 0xffffff;
      count += 6;
      if (count >= 8) {
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
      }
    }
    return bytes;
  }

  TemporaryDirectory folder_;
  pid_t process_ = -1;
  int commands_ = -1;
  int answers_ = -1;
  int last_id_ = 0;
  std::string session_;
  std::string received_;
  std::vector<std::string> errors_;
  std::vector<std::string> requests_;
};

}  // namespace splitgp::testing
