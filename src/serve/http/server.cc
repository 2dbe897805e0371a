#include "serve/http/server.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "serve/http/connection.h"
#include "splitgp/error.h"

namespace splitgp::serve::http {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Socket = asio::basic_stream_socket<tcp, asio::io_context::executor_type>;
using Acceptor = asio::basic_socket_acceptor<tcp, asio::io_context::executor_type>;
using Timer =
    asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, asio::io_context::executor_type>;

constexpr std::chrono::milliseconds kSweep{250};

class PlainTransport : public Transport {
 public:
  explicit PlainTransport(Socket socket) : socket_(std::move(socket)) {}
  void begin(Done done) override { done(true, 0); }
  void read(char* to, std::size_t most, Done done) override {
    socket_.async_read_some(asio::buffer(to, most), Handler{std::move(done)});
  }
  void write(std::string_view first, std::string_view second, Done done) override {
    const std::array<asio::const_buffer, 2> both{asio::buffer(first), asio::buffer(second)};
    asio::async_write(socket_, both, Handler{std::move(done)});
  }
  void end_writing(Done done) override {
    boost::system::error_code error;
    socket_.shutdown(Socket::shutdown_send, error);
    done(!error, 0);
  }
  void cancel() override {
    boost::system::error_code error;
    socket_.cancel(error);
  }
  void close() override {
    boost::system::error_code error;
    socket_.close(error);
  }

  struct Handler {
    Done done;
    void operator()(const boost::system::error_code& error, std::size_t bytes) {
      done(!error, bytes);
    }
  };

 private:
  Socket socket_;
};

class TlsTransport : public Transport {
 public:
  TlsTransport(Socket socket, asio::ssl::context& context) : stream_(std::move(socket), context) {}
  void begin(Done done) override {
    stream_.async_handshake(
        asio::ssl::stream_base::server,
        [done = std::move(done)](const boost::system::error_code& error) { done(!error, 0); });
  }
  void read(char* to, std::size_t most, Done done) override {
    stream_.async_read_some(asio::buffer(to, most), PlainTransport::Handler{std::move(done)});
  }
  void write(std::string_view first, std::string_view second, Done done) override {
    const std::array<asio::const_buffer, 2> both{asio::buffer(first), asio::buffer(second)};
    asio::async_write(stream_, both, PlainTransport::Handler{std::move(done)});
  }
  void end_writing(Done done) override {
    stream_.async_shutdown([done = std::move(done)](const boost::system::error_code&) {
      done(false, 0);  // nothing follows
    });
  }
  void cancel() override {
    boost::system::error_code error;
    stream_.lowest_layer().cancel(error);
  }
  void close() override {
    boost::system::error_code error;
    stream_.lowest_layer().close(error);
  }

 private:
  asio::ssl::stream<Socket> stream_;
};

// As many descriptors as the system allows: each connection is one.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// OpenSSL reports a missing file as an error of its own, without a text.
void require_readable(const char* flag, const std::string& path) {
  errno = 0;
  if (std::ifstream(path).get() != std::ifstream::traits_type::eof()) return;
  const int code = errno;
  throw Error(fmt::format("{}: {}: {}", flag, path,
                          code == 0 ? "it is empty" : std::generic_category().message(code)));
}

}  // namespace

struct Server::Impl {
  // One thread with the connections it owns.
  struct Worker {
    explicit Worker(Shared& all) : shared(all), sweep(context) {}
    ~Worker() {
      // Handlers hold the connections, which know `connections`.
      sweep.cancel();
    }
    Shared& shared;
    Connection::Set connections;
    asio::io_context context{1};
    Timer sweep;
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::thread thread;
    // Its thread's own. A sweep that is due just when the timer is cancelled comes all the same,
    // and must not be the reason for another.
    bool ending = false;

    void each(const std::function<void(Connection&)>& use) {
      std::vector<std::shared_ptr<Connection>> now;
      {
        const std::lock_guard<std::mutex> hold(connections.mutex);
        now.reserve(connections.all.size());
        for (Connection* one : connections.all) {
          if (auto held = one->weak_from_this().lock()) now.push_back(std::move(held));
        }
      }
      for (const auto& one : now) use(*one);
    }
    void sweep_later() {
      sweep.expires_after(kSweep);
      sweep.async_wait([this](const boost::system::error_code& error) {
        if (error || ending) return;
        const Clock::time_point now = Clock::now();
        each([now](Connection& one) { one.check_time(now); });
        sweep_later();
      });
    }

    // An exception, when memory is short, ends the connection whose handler threw it: nothing else
    // held that. The others go on, and so does the sweep, which the handler may have been.
    void run() {
      while (true) {
        try {
          if (!ending) sweep_later();
          context.run();
          return;
        } catch (const std::exception&) {
        }
      }
    }
  };

  Impl(const ServerSettings& given, Application& application)
      : settings(given), shared{application, given.limits}, accepting(1), acceptor(accepting) {
    raise_descriptor_limit();
    open();
    if (!settings.certificate_file.empty()) load_certificate();
    for (int i = 0; i < std::max(1, settings.threads); ++i) {
      workers.push_back(std::make_unique<Worker>(shared));
    }
  }

  void open() {
    boost::system::error_code error;
    const asio::ip::address address = asio::ip::make_address(settings.address, error);
    if (error) throw Error("--listen: '" + settings.address + "' is not an address");
    const tcp::endpoint endpoint(address, settings.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(4096, error);
    if (error) {
      throw Error(fmt::format("--listen: cannot listen on {}:{}: {}", settings.address,
                              settings.port, error.message()));
    }
    port = acceptor.local_endpoint().port();
  }

  void load_certificate() {
    tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                     asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                     asio::ssl::context::no_tlsv1_1 | asio::ssl::context::no_compression);
    // Idle connections give their buffers back.
    SSL_CTX_set_mode(tls->native_handle(), SSL_MODE_RELEASE_BUFFERS);
    boost::system::error_code error;
    require_readable("--tls-cert", settings.certificate_file);
    tls->use_certificate_chain_file(settings.certificate_file, error);
    if (error) {
      throw Error("--tls-cert: " + settings.certificate_file + ": it has no certificate in PEM");
    }
    require_readable("--tls-key", settings.key_file);
    tls->use_private_key_file(settings.key_file, asio::ssl::context::pem, error);
    if (error) {
      throw Error("--tls-key: " + settings.key_file + ": it has no private key in PEM");
    }
    if (SSL_CTX_check_private_key(tls->native_handle()) != 1) {
      throw Error("--tls-key: " + settings.key_file + ": it does not belong to the certificate");
    }
  }

  // Handlers end by accepting the next, so after an exception nothing is accepted any more.
  void run_accepting() {
    bool interrupted = false;
    while (true) {
      try {
        if (interrupted && !shared.stopping) accept_after_a_while();
        accepting.run();
        return;
      } catch (const std::exception&) {
        interrupted = true;
      }
    }
  }

  void accept_after_a_while() {
    retry.expires_after(std::chrono::milliseconds(50));
    retry.async_wait([this](const boost::system::error_code&) {
      if (!shared.stopping) accept();
    });
  }

  void accept() {
    Worker& worker = *workers[next_worker++ % workers.size()];
    acceptor.async_accept(worker.context,
                          [this, &worker](const boost::system::error_code& error, Socket socket) {
                            if (shared.stopping) return;
                            if (error) {
                              // Out of descriptors, say: not at once again.
                              return accept_after_a_while();
                            }
                            take(worker, std::move(socket));
                            accept();
                          });
  }

  void take(Worker& worker, Socket socket) {
    boost::system::error_code error;
    if (shared.connections >= shared.limits.connections) {
      ++shared.refused;
      const std::string_view text =
          "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
          "Connection: close\r\n\r\n";
      socket.non_blocking(true, error);
      if (!tls) socket.write_some(asio::buffer(text), error);
      socket.close(error);
      return;
    }
    socket.set_option(tcp::no_delay(true), error);
    const auto endpoint = socket.remote_endpoint(error);
    std::string peer = error ? "-" : endpoint.address().to_string();
    std::unique_ptr<Transport> transport;
    if (tls) {
      transport = std::make_unique<TlsTransport>(std::move(socket), *tls);
    } else {
      transport = std::make_unique<PlainTransport>(std::move(socket));
    }
    auto owned = std::make_shared<std::unique_ptr<Transport>>(std::move(transport));
    asio::post(worker.context, [this, &worker, owned, peer = std::move(peer)] {
      std::make_shared<Connection>(worker.context, std::move(*owned), peer, tls != nullptr, shared,
                                   worker.connections)
          ->begin();
    });
  }

  ServerSettings settings;
  Shared shared;
  std::uint16_t port = 0;
  std::unique_ptr<asio::ssl::context> tls;
  std::vector<std::unique_ptr<Worker>> workers;
  asio::io_context accepting;
  Acceptor acceptor;
  Timer retry{accepting};
  std::thread accepting_thread;
  std::size_t next_worker = 0;
  bool started = false;
};

Server::Server(const ServerSettings& settings, Application& application)
    : impl_(std::make_unique<Impl>(settings, application)) {}

Server::~Server() { stop(std::chrono::milliseconds(0)); }

std::uint16_t Server::port() const { return impl_->port; }

void Server::start() {
  impl_->started = true;
  for (auto& worker : impl_->workers) {
    worker->thread = std::thread([&one = *worker] { one.run(); });
  }
  impl_->accept();
  impl_->accepting_thread = std::thread([this] { impl_->run_accepting(); });
}

void Server::publish(std::string event) {
  const auto chunk =
      std::make_shared<const std::string>(fmt::format("{:x}\r\n{}\r\n", event.size(), event));
  if (impl_->shared.viewers == 0) return;
  for (auto& worker : impl_->workers) {
    asio::post(worker->context, [&one = *worker, chunk] {
      one.each([&chunk](Connection& connection) { connection.publish(chunk); });
    });
  }
}

void Server::stop(std::chrono::milliseconds patience) {
  if (!impl_->started) return;
  impl_->started = false;
  impl_->shared.stopping = true;
  asio::post(impl_->accepting, [this] {
    boost::system::error_code error;
    impl_->acceptor.close(error);
    impl_->retry.cancel();
  });
  for (auto& worker : impl_->workers) {
    asio::post(worker->context,
               [&one = *worker] { one.each([](Connection& c) { c.stop_if_idle(); }); });
  }
  const Clock::time_point end = Clock::now() + patience;
  while (impl_->shared.connections > 0 && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (auto& worker : impl_->workers) {
    asio::post(worker->context, [&one = *worker] {
      one.ending = true;
      one.sweep.cancel();
      one.each([](Connection& c) { c.close(); });
      one.work.reset();
    });
  }
  for (auto& worker : impl_->workers) worker->thread.join();
  impl_->accepting.stop();
  impl_->accepting_thread.join();
}

ServerCounts Server::counts() const {
  const Shared& shared = impl_->shared;
  return {shared.connections, shared.viewers, shared.viewers_dropped, shared.refused,
          shared.timeouts};
}

}  // namespace splitgp::serve::http
