#include <chrono>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/mutex.hpp"
#include "http/client.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/router.hpp"
#include "http/test_peer.hpp"

namespace assay::http {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kGetEvents = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n";

/// A server whose /events opens a stream and hands it to the test.
class HttpStream : public ServerTest {
 protected:
  struct Opened {
    Request request;
    EventStream stream;
  };
  HttpStream() {
    router.add(Method::get, "/events", [this](Request request, Responder responder) {
      EventStream stream = responder.stream({{"X-Extra", "1"}});
      opened_.set_value({std::move(request), std::move(stream)});
    });
  }
  Opened opened() {
    auto future = opened_.get_future();
    EXPECT_EQ(future.wait_for(30s), std::future_status::ready);
    return future.get();
  }

 private:
  std::promise<Opened> opened_;
};

void wait_for(const std::stop_token& token) {
  std::promise<void> stopped;
  const std::stop_callback callback(token, [&] { stopped.set_value(); });
  EXPECT_EQ(stopped.get_future().wait_for(30s), std::future_status::ready);
}

TEST_F(HttpStream, sends_events_as_they_come_and_ends_properly) {
  start();
  Peer client = peer();
  client.send(kGetEvents);
  const std::string head = client.read_until("\r\n\r\n");
  EXPECT_NE(head.find("Content-Type: text/event-stream\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_NE(head.find("X-Extra: 1\r\n"), std::string::npos);
  auto [request, stream] = opened();
  EXPECT_TRUE(stream.send("1", "phase", "building"));
  EXPECT_EQ(client.read_until("\n\n\r\n"), "23\r\nid: 1\nevent: phase\ndata: building\n\n\r\n");
  stream.close();
  EXPECT_EQ(client.read_all(), "0\r\n\r\n");
}

TEST_F(HttpStream, to_http_1_0_ends_with_the_connection) {
  start();
  Peer client = peer();
  client.send("GET /events HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n").find("chunked"), std::string::npos);
  auto [request, stream] = opened();
  stream.send("", "", "x");
  stream.close();
  EXPECT_EQ(client.read_all(), "data: x\n\n");
}

TEST_F(HttpStream, head_gets_no_events) {
  start();
  EXPECT_TRUE(answer_to("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n").ends_with("\r\n\r\n"));
  auto [request, stream] = opened();
  EXPECT_FALSE(stream.send("", "", "x"));
}

TEST_F(HttpStream, pings_while_nothing_happens) {
  options.ping_interval = 10ms;
  start();
  Peer client = peer();
  client.send(kGetEvents);
  auto [request, stream] = opened();
  EXPECT_TRUE(client.read_until(": ping\n\n").ends_with("8\r\n: ping\n\n"));
  EXPECT_TRUE(client.read_until(": ping\n\n").ends_with("8\r\n: ping\n\n"));
}

TEST_F(HttpStream, ends_after_its_lifetime_with_what_was_sent_till_then) {
  options.stream_lifetime = 50ms;
  options.ping_interval = 10ms;
  start();
  Peer client = peer();
  client.send(kGetEvents);
  auto [request, stream] = opened();
  EXPECT_TRUE(stream.send("1", "phase", "building"));
  const std::string all = client.read_all();
  EXPECT_NE(all.find("data: building\n\n"), std::string::npos) << all;
  EXPECT_TRUE(all.ends_with("0\r\n\r\n")) << all;
  EXPECT_FALSE(stream.send("2", "phase", "timing"));
}

TEST_F(HttpStream, a_client_that_leaves_is_noticed) {
  start();
  Peer client = peer();
  client.send(kGetEvents);
  client.read_until("\r\n\r\n");
  auto [request, stream] = opened();
  client.close();
  wait_for(request.closed);
  EXPECT_FALSE(stream.send("", "", "x"));
}

TEST_F(HttpStream, a_client_that_does_not_read_is_disconnected_at_the_bound) {
  options.max_stream_backlog = 100'000;
  start();
  Peer client = peer();
  client.send(kGetEvents);
  auto [request, stream] = opened();
  const std::string data(10'000, 'x');
  int sent = 0;
  while (sent < 100'000 && stream.send("", "", data)) ++sent;
  EXPECT_LT(sent, 100'000);
  EXPECT_GE(sent, 9);
  wait_for(request.closed);
  EXPECT_NE(logged.text().find("does not read its events"), std::string::npos);
}

TEST_F(HttpStream, drain_ends_streams_and_tells_who_feeds_them) {
  start();
  Peer client = peer();
  client.send(kGetEvents);
  client.read_until("\r\n\r\n");
  auto [request, stream] = opened();
  std::jthread drainer([&] { server->drain(patient()); });
  EXPECT_EQ(client.read_all(), "0\r\n\r\n");
  wait_for(request.closed);
  EXPECT_FALSE(stream.send("", "", "x"));
}

TEST_F(HttpStream, may_outlive_its_server) {
  start();
  Peer client = peer();
  client.send(kGetEvents);
  auto [request, stream] = opened();
  server.reset();
  EXPECT_TRUE(request.closed.stop_requested());
  EXPECT_FALSE(stream.send("", "", "x"));
}

TEST_F(HttpStream, client_reads_events_until_the_end) {
  start();
  std::jthread feeder([&] {
    auto [request, stream] = opened();
    EXPECT_EQ(request.headers.find("Last-Event-ID"), "41");
    for (int i = 42; i < 142; ++i) stream.send(std::to_string(i), "tick", "line\n2");
  });
  Client client(url());
  int seen = 0;
  std::string last;
  const auto read = client.stream_events(
      "/events", "41",
      [&](std::string_view id, std::string_view event, std::string_view data) {
        EXPECT_EQ(event, "tick");
        EXPECT_EQ(data, "line\n2");
        last = id;
        return ++seen > 0;
      },
      patient());
  EXPECT_TRUE(read);
  EXPECT_EQ(seen, 100);
  EXPECT_EQ(last, "141");
}

TEST_F(HttpStream, client_stops_when_it_has_seen_enough) {
  start();
  std::optional<Opened> held;
  std::jthread feeder([&] {
    held.emplace(opened());
    held->stream.send("1", "", "x");
  });
  Client client(url());
  const auto enough = [](std::string_view, std::string_view, std::string_view) { return false; };
  EXPECT_TRUE(client.stream_events("/events", "", enough, patient()));
  feeder.join();
  wait_for(held->request.closed);
}

/// A server whose /events opens as many streams as are asked for.
class HttpStreams : public ServerTest {
 protected:
  HttpStreams() {
    router.add(Method::get, "/events", [this](const Request&, Responder responder) {
      const MutexLock lock(mutex_);
      streams_.push_back(responder.stream());
    });
    router.add(Method::get, "/echo", echo);
    options.max_streams = 2;
  }
  void close_first() {
    const MutexLock lock(mutex_);
    streams_.front().close();
  }

 private:
  Mutex mutex_;
  std::vector<EventStream> streams_ ASSAY_GUARDED_BY(mutex_);
};

TEST_F(HttpStreams, more_than_so_many_are_refused_until_one_has_ended) {
  start();
  const auto status = [](Peer& client) {
    client.send(kGetEvents);
    return client.read_until("\r\n\r\n");
  };
  Peer first = peer();
  Peer second = peer();
  EXPECT_TRUE(status(first).starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(status(second).starts_with("HTTP/1.1 200 "));
  Peer third = peer();
  third.send(kGetEvents);
  const std::string refused = third.read_answer();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_NE(refused.find("Retry-After: 5\r\n"), std::string::npos);
  third.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(third.read_answer().starts_with("HTTP/1.1 200 "))
      << "for everything else there is room";
  third.send("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(third.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 "));
  close_first();
  EXPECT_EQ(first.read_all(), "0\r\n\r\n");
  Peer fourth = peer();
  EXPECT_TRUE(status(fourth).starts_with("HTTP/1.1 200 "));
}

TEST_F(HttpStream, client_reports_a_stream_broken_off_stopped_or_refused) {
  start();
  const auto more = [](std::string_view, std::string_view, std::string_view) { return true; };
  std::jthread breaker([&] {
    auto [request, stream] = opened();
    server.reset();
  });
  const std::string address = url();
  Client client(address);
  const auto broken = client.stream_events("/events", "", more, patient());
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code(), ErrorCode::unavailable);
  breaker.join();

  router = Router();
  start();
  const auto refused = Client(url()).stream_events("/none", "", more, patient());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::not_found);
  EXPECT_NE(refused.error().message().find("/none answered 404: {\"error\":"), std::string::npos);
}

}  // namespace
}  // namespace assay::http
