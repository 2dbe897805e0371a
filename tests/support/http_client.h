#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

namespace splitgp::testing {

/// An HTTP client that shows what really comes over a socket.
class HttpClient {
 public:
  struct Answer {
    int status = 0;                              ///< 0: the connection ended without an answer.
    std::map<std::string, std::string> headers;  ///< Names in lower case.
    std::string body;
  };

  explicit HttpClient(std::uint16_t port) : port_(port) { connect(); }
  ~HttpClient() { close(); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  Answer get(const std::string& path, const std::string& headers = "") {
    return ask("GET", path, "", headers);
  }
  Answer post(const std::string& path, const std::string& body,
              const std::string& headers = "Content-Type: application/json\r\n") {
    return ask("POST", path, body, headers);
  }
  Answer ask(const std::string& method, const std::string& path, const std::string& body,
             const std::string& headers) {
    std::string text = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
    if (method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    send(text + "\r\n" + body);
    return receive(method == "HEAD");
  }

  /// False if the other end is gone.
  bool send(const std::string& text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  Answer receive(bool head_only = false) {
    Answer answer;
    const std::size_t end = read_until("\r\n\r\n");
    if (end == std::string::npos) return answer;
    const std::string head = buffer_.substr(0, end);
    buffer_.erase(0, end + 4);
    answer.status = std::atoi(head.c_str() + head.find(' ') + 1);
    std::size_t at = head.find("\r\n");
    while (at != std::string::npos && at + 2 < head.size()) {
      const std::size_t next = head.find("\r\n", at + 2);
      const std::string line = head.substr(at + 2, next - at - 2);
      std::string name = line.substr(0, line.find(": "));
      for (char& c : name) c = static_cast<char>(std::tolower(c));
      answer.headers[name] = line.substr(line.find(": ") + 2);
      at = next;
    }
    if (answer.status == 100) return receive(head_only);
    if (head_only || answer.headers.count("content-length") == 0) return answer;
    const auto length =
        static_cast<std::size_t>(std::atoll(answer.headers["content-length"].c_str()));
    while (buffer_.size() < length && more()) {
    }
    answer.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return answer;
  }

  /// What has come until `mark`, mark included; empty if the connection ended before.
  std::string read_past(const std::string& mark) {
    const std::size_t end = read_until(mark);
    if (end == std::string::npos) return "";
    const std::string text = buffer_.substr(0, end + mark.size());
    buffer_.erase(0, end + mark.size());
    return text;
  }
  /// Whether the other end closes the connection, within the time limit.
  bool is_closed() {
    while (more()) {
    }
    return ended_;
  }
  void set_timeout(double seconds) {
    timeval limit{static_cast<time_t>(seconds),
                  static_cast<suseconds_t>(
                      (seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e6)};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

 private:
  void connect() {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    set_timeout(60.0);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      close();
      throw std::runtime_error("cannot connect");
    }
  }
  bool more() {
    char bytes[65536];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count == 0) ended_ = true;
    if (count < 0 && errno == ECONNRESET) ended_ = true;
    if (count <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  std::size_t read_until(const std::string& mark) {
    while (buffer_.find(mark) == std::string::npos) {
      if (!more()) return std::string::npos;
    }
    return buffer_.find(mark);
  }

  std::uint16_t port_;
  int socket_ = -1;
  bool ended_ = false;
  std::string buffer_;
};

}  // namespace splitgp::testing
