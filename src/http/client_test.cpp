#include "http/client.hpp"

#include <chrono>
#include <cstdint>
#include <future>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/socket.hpp"
#include "http/test_peer.hpp"

namespace assay::http {
namespace {

using namespace std::chrono_literals;

class HttpClient : public ServerTest {
 protected:
  HttpClient() {
    router.add(Method::get, "/echo", echo);
    router.add(Method::post, "/echo", echo);
  }
};

/// A server that takes one connection, reads a little and says what it is told to.
class Impostor {
 public:
  explicit Impostor(std::string says)
      : listener_(listen_on("127.0.0.1", 0).value()),
        port_(bound_port(listener_.get()).value()),
        thread_([this, says = std::move(says)] {
          pollfd watched{.fd = listener_.get(), .events = POLLIN, .revents = 0};
          ::poll(&watched, 1, 30'000);
          const Accepted client = accept_one(listener_.get()).value();
          watched.fd = client.fd.get();
          ::poll(&watched, 1, 30'000);
          char drop[4096];
          [[maybe_unused]] const ssize_t ignored = ::recv(client.fd.get(), drop, sizeof drop, 0);
          EXPECT_EQ(::send(client.fd.get(), says.data(), says.size(), MSG_NOSIGNAL),
                    static_cast<ssize_t>(says.size()));
        }) {}
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  UniqueFd listener_;
  std::uint16_t port_;
  std::jthread thread_;
};

Result<Response> get(Client& client, std::string_view path, Deadline deadline = patient(),
                     const std::stop_token& stop = {}) {
  return client.send(Method::get, path, {}, {}, deadline, stop);
}

TEST_F(HttpClient, sends_headers_and_body_and_reads_the_answer) {
  start();
  Client client(url());
  const auto answer =
      client.send(Method::post, "/echo", {{"Content-Type", "x/y"}}, "hello", patient());
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "POST /echo hello");
  EXPECT_EQ(answer->headers.find("content-type"), "text/plain; charset=utf-8");
}

TEST_F(HttpClient, any_status_is_an_answer) {
  start();
  Client client(url());
  EXPECT_EQ(get(client, "/none")->status, 404);
  EXPECT_EQ(client.send(Method::head, "/echo", {}, {}, patient())->body, "");
}

TEST_F(HttpClient, keeps_its_connection_and_replaces_one_that_the_server_closed) {
  options.idle_timeout = 20ms;
  start();
  Client client(url());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(get(client, "/echo"));
  while (server->stats().open_connections > 0) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(get(client, "/echo"));
}

TEST_F(HttpClient, hears_the_refusal_of_a_body_that_is_too_large) {
  options.max_body = 1000;
  start();
  Client client(url());
  const auto answer =
      client.send(Method::post, "/echo", {}, std::string(10'000'000, 'x'), patient());
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 413);
}

TEST_F(HttpClient, a_refused_connection_is_unavailable_and_names_the_address) {
  start();
  const std::string address = url();
  server.reset();
  Client client(address);
  const auto answer = get(client, "/echo");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(answer.error().message(), "connect to " + address.substr(7) + ": Connection refused");
}

TEST_F(HttpClient, gives_up_at_the_deadline_or_when_stopped) {
  std::promise<Responder> first;
  std::promise<Responder> second;
  const auto hold = [](std::promise<Responder>& in) {
    return [&in](const Request&, Responder responder) { in.set_value(std::move(responder)); };
  };
  router.add(Method::get, "/first", hold(first));
  router.add(Method::get, "/second", hold(second));
  start();
  Client client(url());
  const auto late = get(client, "/first", Deadline(kClock, 20ms));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::deadline_exceeded);
  std::stop_source stop;
  std::jthread stopper([&] {
    const Responder waits_for_the_request = second.get_future().get();
    stop.request_stop();
  });
  const auto stopped = get(client, "/second", patient(), stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::cancelled);
}

TEST_F(HttpClient, malformed_and_cut_answers_are_unavailable) {
  for (const char* says : {"SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", ""}) {
    const Impostor impostor(says);
    Client client(impostor.url());
    const auto answer = get(client, "/");
    ASSERT_FALSE(answer) << says;
    EXPECT_EQ(answer.error().code(), ErrorCode::unavailable) << says;
  }
}

TEST_F(HttpClient, passes_over_interim_answers) {
  const Impostor impostor(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  Client client(impostor.url());
  EXPECT_EQ(get(client, "/")->body, "ok");
}

TEST_F(HttpClient, refuses_bad_urls_and_what_would_forge_a_request) {
  start();
  Client nowhere("ftp://x");
  EXPECT_EQ(get(nowhere, "/").error().code(), ErrorCode::invalid_argument);
  Client client(url());
  EXPECT_FALSE(get(client, "/a b"));
  EXPECT_FALSE(get(client, "/a\r\nX: y"));
  EXPECT_FALSE(get(client, "echo"));
  EXPECT_FALSE(client.send(Method::get, "/echo", {{"X", "a\r\nY: b"}}, {}, patient()));
  EXPECT_TRUE(get(client, "/echo"));
}

}  // namespace
}  // namespace assay::http
