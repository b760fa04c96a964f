#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>

#include "base/clock.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/router.hpp"
#include "http/server.hpp"
#include "http/test_peer.hpp"

namespace assay::http {
namespace {

constexpr std::string_view kAsk = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::size_t kMost = 8;

/// More clients than connections.
class HttpCrowd : public ServerTest {
 protected:
  HttpCrowd() {
    options.max_connections = kMost;
    router.add(Method::get, "/echo", echo);
    router.add(Method::post, "/echo", echo);
    router.add(Method::get, "/held", [this](const Request&, Responder responder) {
      const std::lock_guard lock(mutex_);
      held_.push_back(std::move(responder));
    });
  }
  ~HttpCrowd() override { server.reset(); }  // before what its router refers to
  HttpCrowd(const HttpCrowd&) = delete;
  HttpCrowd& operator=(const HttpCrowd&) = delete;
  HttpCrowd(HttpCrowd&&) = delete;
  HttpCrowd& operator=(HttpCrowd&&) = delete;

  static bool is_answered(Peer& client) {
    client.send(kAsk);
    return client.read_answer().ends_with("GET /echo ");
  }
  /// So many that each say `words`, and no more.
  [[nodiscard]] std::vector<Peer> crowd(std::size_t count, std::string_view words) const {
    std::vector<Peer> clients;
    for (std::size_t i = 0; i < count; ++i) clients.push_back(peer());
    for (Peer& client : clients) client.send(words);
    return clients;
  }
  void await_held(std::size_t count) {
    const Deadline deadline = patient();
    while (held() < count && !deadline.expired())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(held(), count);
  }
  void release() {
    const std::lock_guard lock(mutex_);
    for (Responder& responder : held_) responder.send(Response::text(200, "at last"));
    held_.clear();
  }

 private:
  std::size_t held() {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  std::mutex mutex_;
  std::vector<Responder> held_;
};

TEST_F(HttpCrowd, clients_that_only_hold_connections_keep_nobody_out) {
  start();
  for (const std::string_view words :
       {"", "GET /echo HT", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"}) {
    const auto silent = crowd(3 * kMost, words);
    Peer other = peer();
    EXPECT_TRUE(is_answered(other)) << words;
    EXPECT_LE(server->stats().open_connections, kMost);
  }
}

TEST_F(HttpCrowd, clients_that_do_not_read_their_answers_keep_nobody_out) {
  router.add(Method::get, "/large", [](const Request&, Responder responder) {
    responder.send(Response::text(200, std::string(20'000'000, 'z')));
  });
  start();
  auto deaf = crowd(kMost, "GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  for (Peer& client : deaf) EXPECT_TRUE(client.read_until("\r\n").starts_with("HTTP/1.1 200 "));
  Peer other = peer();
  EXPECT_TRUE(is_answered(other));
}

TEST_F(HttpCrowd, who_was_silent_longest_makes_room) {
  start();
  auto clients = crowd(kMost, "");
  for (std::size_t i = 1; i < kMost; ++i) EXPECT_TRUE(is_answered(clients[i]));
  Peer other = peer();
  EXPECT_TRUE(is_answered(other));
  EXPECT_EQ(clients[0].read_all(), "");
  for (std::size_t i = 1; i < kMost; ++i) EXPECT_TRUE(is_answered(clients[i]));
}

TEST_F(HttpCrowd, who_holds_many_makes_room_before_others_do) {
  start();
  Peer neighbour(server->port(), INADDR_LOOPBACK + 1);
  EXPECT_TRUE(is_answered(neighbour));
  const auto silent = crowd(3 * kMost, "");
  Peer other = peer();
  EXPECT_TRUE(is_answered(other));
  EXPECT_TRUE(is_answered(neighbour));
}

TEST_F(HttpCrowd, who_waits_for_an_answer_keeps_its_place_and_others_get_503) {
  start();
  auto waiting = crowd(kMost, "GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  await_held(kMost);
  Peer other = peer();
  other.send(kAsk);
  const std::string refused = other.read_until("\r\n\r\n");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_NE(refused.find("Retry-After: 1\r\n"), std::string::npos);
  release();
  for (Peer& client : waiting) EXPECT_TRUE(client.read_answer().ends_with("at last"));
  Peer again = peer();
  EXPECT_TRUE(is_answered(again));
}

}  // namespace
}  // namespace assay::http
