// Whatever a client sends before it closes its side, the server answers or closes within time.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.hpp"
#include "base/unique_fd.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/router.hpp"
#include "http/server.hpp"

namespace {

using assay::UniqueFd;
namespace http = assay::http;

std::unique_ptr<http::Server> start() {
  static const assay::Log kLog(STDERR_FILENO, assay::LogLevel::error);
  http::Router router;
  const auto echo = [](http::Request request, http::Responder responder) {
    responder.send(http::Response::text(200, std::move(request.body)));
  };
  router.add(http::Method::get, "/", echo);
  router.add(http::Method::post, "/{name}", echo);
  http::ServerOptions options;
  options.port = 0;
  options.threads = 1;
  options.max_body = 256;
  options.max_header = 512;
  auto server = http::Server::start(options, std::move(router), kLog);
  if (!server) std::abort();
  return *std::move(server);
}

UniqueFd connect_to(std::uint16_t port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::abort();
  }
  // Leaves no connection in TIME_WAIT: thousands a second would use up the ports.
  const linger reset_on_close{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &reset_on_close, sizeof reset_on_close);
  return fd;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<http::Server> kServer = start();
  const UniqueFd client = connect_to(kServer->port());
  ::send(client.get(), data, size, MSG_NOSIGNAL);
  ::shutdown(client.get(), SHUT_WR);
  std::array<char, 4096> answer{};
  while (true) {
    pollfd watched{.fd = client.get(), .events = POLLIN, .revents = 0};
    if (::poll(&watched, 1, 5000) != 1) std::abort();  // neither an answer nor an end
    if (::recv(client.get(), answer.data(), answer.size(), 0) <= 0) return 0;
  }
}
