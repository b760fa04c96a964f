#include "http/server.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/router.hpp"
#include "http/test_peer.hpp"

namespace assay::http {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kGet = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kGetAndClose =
    "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

class HttpServer : public ServerTest {
 protected:
  HttpServer() {
    router.add(Method::get, "/echo", echo);
    router.add(Method::post, "/echo", echo);
  }
};

/// A handler that keeps its request and lets the test answer.
struct Held {
  void operator()(Request request, Responder responder) {
    held.set_value({std::move(request), std::move(responder)});
  }
  std::pair<Request, Responder> get() {
    auto future = held.get_future();
    EXPECT_EQ(future.wait_for(30s), std::future_status::ready);
    return future.get();
  }
  std::promise<std::pair<Request, Responder>> held;
};

/// Waits for a stop without polling.
void wait_for(const std::stop_token& token) {
  std::promise<void> stopped;
  const std::stop_callback callback(token, [&] { stopped.set_value(); });
  EXPECT_EQ(stopped.get_future().wait_for(30s), std::future_status::ready);
}

TEST_F(HttpServer, answers_with_status_length_type_and_date) {
  start();
  const std::string answer = answer_to(kGetAndClose);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_NE(answer.find("Content-Length: 10\r\n"), std::string::npos);
  EXPECT_NE(answer.find("Content-Type: text/plain; charset=utf-8\r\n"), std::string::npos);
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
  EXPECT_NE(answer.find(" GMT\r\n"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\nGET /echo "));
}

TEST_F(HttpServer, answers_a_thousand_requests_on_one_connection) {
  start();
  Peer client = peer();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(client.send(kGet));
    ASSERT_TRUE(client.read_answer().ends_with("GET /echo ")) << i;
  }
  EXPECT_EQ(server->stats().answers[2], 1000U);
  EXPECT_EQ(server->stats().open_connections, 1U);
}

TEST_F(HttpServer, answers_pipelined_requests_in_order) {
  start();
  std::string requests;
  for (int i = 0; i < 100; ++i) {
    requests +=
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n" + std::to_string(10 + i % 90);
  }
  Peer client = peer();
  client.send(requests);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(client.read_answer().ends_with("POST /echo " + std::to_string(10 + i % 90)));
  }
}

TEST_F(HttpServer, answers_all_that_was_sent_before_the_client_stopped_sending) {
  start();
  Peer client = peer();
  client.send(std::string(kGet) + std::string(kGet));
  client.finish_sending();
  const std::string answers = client.read_all();
  EXPECT_NE(answers.find("GET /echo HTTP/1.1 200 OK"), std::string::npos) << answers;
  EXPECT_TRUE(answers.ends_with("GET /echo "));
}

TEST_F(HttpServer, closes_after_http_1_0_unless_asked_to_keep_the_connection) {
  start();
  EXPECT_TRUE(answer_to("GET /echo HTTP/1.0\r\n\r\n").ends_with("GET /echo "));
  Peer client = peer();
  client.send("GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_NE(client.read_answer().find("Connection: keep-alive\r\n"), std::string::npos);
  client.send("GET /echo HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(client.read_all().ends_with("GET /echo "));
}

TEST_F(HttpServer, head_has_the_length_but_not_the_body) {
  start();
  const std::string answer =
      answer_to("HEAD /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 11\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(HttpServer, status_204_has_neither_length_nor_body) {
  router.add(Method::get, "/none", [](const Request&, Responder responder) {
    responder.send({.status = 204, .headers = {}, .body = "ignored"});
  });
  start();
  const std::string answer =
      answer_to("GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(answer.find("Content-Length"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(HttpServer, a_handlers_fields_can_neither_forge_others_nor_break_the_framing) {
  router.add(Method::get, "/forge", [](const Request&, Responder responder) {
    Response response = Response::text(200, "ok");
    response.headers.add("X-A", "1\r\nX-B: 2");
    response.headers.add("Content-Length", "999");
    response.headers.add("transfer-encoding", "chunked");
    responder.send(std::move(response));
  });
  start();
  const std::string answer =
      answer_to("GET /forge HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("X-A: 1  X-B: 2\r\n"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("999"), std::string::npos);
  EXPECT_EQ(answer.find("chunked"), std::string::npos);
}

TEST_F(HttpServer, takes_chunked_bodies_and_absolute_targets) {
  start();
  EXPECT_TRUE(answer_to("POST http://a/echo?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                        "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
                  .ends_with("POST /echo abc"));
}

TEST_F(HttpServer, asks_for_the_body_of_a_client_that_waits_to_be_asked) {
  start();
  Peer client = peer();
  client.send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_TRUE(client.read_answer().ends_with("POST /echo abc"));
}

TEST_F(HttpServer, refuses_a_large_body_without_asking_for_it) {
  options.max_body = 10;
  start();
  const std::string answer = answer_to(
      "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 413 Content Too Large\r\n")) << answer;
}

TEST_F(HttpServer, what_the_guard_refuses_is_answered_before_its_body_comes) {
  router.guard([](const Request& request, std::string_view) -> std::optional<Response> {
    if (request.headers.find("Pass")) return std::nullopt;
    return Response::text(403, "not you");
  });
  start();
  const std::string refused =
      answer_to("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 403 Forbidden\r\n")) << refused;
  EXPECT_TRUE(refused.ends_with("not you")) << refused;
  const std::string let_in = answer_to(
      "POST /echo HTTP/1.1\r\nHost: a\r\nPass: yes\r\nContent-Length: 2\r\n\r\nhi"
      "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(let_in.find("POST /echo hi"), std::string::npos) << let_in;
  EXPECT_NE(let_in.find("HTTP/1.1 403 "), std::string::npos) << "each request is looked at";
}

TEST_F(HttpServer, a_client_still_sending_a_too_large_body_gets_413_and_no_reset) {
  options.max_body = 1000;
  start();
  Peer client = peer();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n");
  const std::string piece(200'000, 'x');
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.send(piece)) << i;
  client.finish_sending();
  const std::string answer = client.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 413 ")) << answer;
  EXPECT_TRUE(answer.ends_with(R"({"error":"the body is larger than the server accepts"})"));
  EXPECT_FALSE(client.was_reset());
}

TEST_F(HttpServer, refuses_what_it_cannot_read_and_closes) {
  options.max_header = 1000;
  start();
  const auto begins = [&](std::string_view bytes, std::string_view status) {
    Peer client = peer();
    client.send(bytes);
    const std::string answer = client.read_until("\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 " + std::string(status))) << bytes << answer;
    EXPECT_NE(answer.find("Connection: close"), std::string::npos);
    EXPECT_NE(answer.find("application/json"), std::string::npos);
    client.finish_sending();
    EXPECT_TRUE(client.read_all().starts_with("{\"error\":"));
    EXPECT_FALSE(client.was_reset());
  };
  begins("nonsense\r\n\r\n", "400");
  begins("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", "400");
  begins("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'x') + "\r\n\r\n", "431");
  begins("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "501");
  begins("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", "400");
  begins("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
         "400");
}

TEST_F(HttpServer, unknown_paths_and_methods_keep_the_connection) {
  start();
  Peer client = peer();
  client.send("GET /none HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 404 "));
  client.send("BREW /echo HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string refused = client.read_answer();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 405 "));
  EXPECT_NE(refused.find("Allow: GET, HEAD, POST\r\n"), std::string::npos);
  client.send(kGet);
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200 "));
}

TEST_F(HttpServer, errors_of_its_own_take_the_routers_shape) {
  router.shape_errors([](int status, std::string_view, std::string_view path) {
    return Response::json(status, "shaped " + std::string(path));
  });
  options.max_body = 1;
  start();
  Peer client = peer();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n");
  EXPECT_TRUE(client.read_answer().ends_with("shaped /echo"));
}

TEST_F(HttpServer, sends_an_answer_given_later_from_another_thread) {
  Held held;
  router.add(Method::get, "/later", std::ref(held));
  start();
  Peer client = peer();
  client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
  std::jthread([&] { held.get().second.send(Response::text(200, "late")); }).join();
  EXPECT_TRUE(client.read_answer().ends_with("late"));
}

TEST_F(HttpServer, sends_large_answers_whole) {
  const std::string large(20'000'000, 'z');
  router.add(Method::get, "/large", [&](const Request&, Responder responder) {
    responder.send(Response::text(200, large));
  });
  start();
  const std::string answer =
      answer_to("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\n" + large));
}

TEST_F(HttpServer, an_unanswered_or_throwing_handler_gives_500_and_a_line_in_the_log) {
  router.add(Method::get, "/forgets", [](const Request&, const Responder&) {});
  router.add(Method::get, "/throws",
             [](const Request&, const Responder&) { throw std::runtime_error("boom"); });
  start();
  Peer client = peer();
  client.send("GET /forgets HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 500 "));
  client.send("GET /throws HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 500 "));
  const std::string log = logged.text();
  EXPECT_NE(log.find("GET /forgets was left unanswered"), std::string::npos) << log;
  EXPECT_NE(log.find("handler of GET /throws threw: boom"), std::string::npos) << log;
  EXPECT_EQ(server->stats().answers[5], 2U);
}

TEST_F(HttpServer, tells_the_handler_when_the_client_leaves_or_vanishes) {
  for (const bool with_reset : {false, true}) {
    Held held;
    Router routes;
    routes.add(Method::get, "/wait", std::ref(held));
    router = std::move(routes);
    start();
    Peer client = peer();
    client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    auto [request, responder] = held.get();
    EXPECT_FALSE(request.closed.stop_requested());
    with_reset ? client.vanish() : client.close();
    wait_for(request.closed);
    responder.send(Response::text(200, "to nobody"));
  }
}

TEST_F(HttpServer, still_answers_a_client_that_only_stopped_sending) {
  Held held;
  router.add(Method::get, "/wait", std::ref(held));
  start();
  Peer client = peer();
  client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  client.finish_sending();
  auto [request, responder] = held.get();
  wait_for(request.closed);
  responder.send(Response::text(200, "here"));
  EXPECT_TRUE(client.read_all().ends_with("here"));
}

TEST_F(HttpServer, serves_two_hundred_connections_at_once) {
  start();
  std::vector<Peer> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(peer());
  for (int round = 0; round < 3; ++round) {
    for (Peer& client : clients) ASSERT_TRUE(client.send(kGet));
    for (Peer& client : clients) ASSERT_TRUE(client.read_answer().ends_with("GET /echo "));
  }
  EXPECT_EQ(server->stats().open_connections, 200U);
}

TEST_F(HttpServer, slow_and_silent_clients_are_cut_and_hold_up_nobody) {
  options.threads = 1;
  options.header_timeout = 100ms;
  options.body_timeout = 100ms;
  start();
  Peer silent = peer();
  Peer slow_head = peer();
  slow_head.send("GET /echo HT");
  Peer slow_body = peer();
  slow_body.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
  Peer fast = peer();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(fast.send(kGet));
    ASSERT_TRUE(fast.read_answer().ends_with("GET /echo "));
  }
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_TRUE(slow_head.read_until("\r\n").starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(slow_body.read_until("\r\n").starts_with("HTTP/1.1 408 "));
}

TEST_F(HttpServer, a_head_that_trickles_in_is_cut_all_the_same) {
  options.header_timeout = 100ms;
  start();
  Peer client = peer();
  std::jthread trickle([&](const std::stop_token& stop) {
    client.send("GET /echo HTTP/1.1\r\n");
    while (!stop.stop_requested() && client.send("X: y\r\n")) std::this_thread::sleep_for(5ms);
  });
  EXPECT_TRUE(client.read_until("\r\n").starts_with("HTTP/1.1 408 "));
}

TEST_F(HttpServer, closes_idle_connections) {
  options.idle_timeout = 50ms;
  start();
  Peer client = peer();
  client.send(kGet);
  EXPECT_TRUE(client.read_all().ends_with("GET /echo "));
}

TEST_F(HttpServer, cuts_a_client_that_does_not_read_its_answer) {
  options.write_timeout = 50ms;
  router.add(Method::get, "/large", [](const Request&, Responder responder) {
    responder.send(Response::text(200, std::string(50'000'000, 'z')));
  });
  start();
  Peer client = peer();
  client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  while (server->stats().answers[2] == 0) std::this_thread::sleep_for(1ms);
  for (int i = 0; i < 30'000 && server->stats().open_connections > 0; ++i) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(server->stats().open_connections, 0U);
}

TEST_F(HttpServer, cuts_a_client_that_reads_its_answer_too_slowly) {
  options.write_timeout = 200ms;
  options.slowest_reader = 500'000'000;
  router.add(Method::get, "/large", [](const Request&, Responder responder) {
    responder.send(Response::text(200, std::string(50'000'000, 'z')));
  });
  start();
  Peer client = peer();
  client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  std::size_t read = 0;
  for (std::string some = "."; !some.empty(); read += some.size()) {
    some = client.read_some();
    std::this_thread::sleep_for(1ms);  // there is progress all the time
  }
  EXPECT_LT(read, 50'000'000U);
}

TEST_F(HttpServer, past_the_answers_it_can_hold_answers_503_and_recovers) {
  options.max_outgoing = 60'000'000;
  router.add(Method::get, "/large", [](const Request&, Responder responder) {
    responder.send(Response::text(200, std::string(50'000'000, 'z')));
  });
  start();
  const std::string get = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n";
  {
    Peer slow = peer();
    slow.send(get);
    EXPECT_TRUE(slow.read_until("\r\n").starts_with("HTTP/1.1 200 "));
    Peer second = peer();
    second.send(get);
    const std::string refused = second.read_until("\r\n\r\n");
    EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
    EXPECT_NE(refused.find("Retry-After: 1\r\n"), std::string::npos);
    second.send(kGet);
    EXPECT_TRUE(second.read_answer().ends_with("GET /echo ")) << "small ones still go";
  }
  std::string answer;
  for (int i = 0; i < 1000 && !answer.starts_with("HTTP/1.1 200 "); ++i) {
    Peer again = peer();
    again.send(get);
    answer = again.read_until("\r\n");
  }
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
}

TEST_F(HttpServer, past_the_bodies_it_can_hold_answers_503_to_those_who_send_one) {
  options.max_buffered = 1000;
  start();
  Peer slow = peer();
  slow.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 901\r\n\r\n" +
            std::string(900, 'x'));
  // Its sender cannot see when the slow body has been read; until then the other might come first.
  for (int i = 0; i < 30'000 && server->stats().buffered < 900; ++i) {
    std::this_thread::sleep_for(1ms);
  }
  ASSERT_EQ(server->stats().buffered, 900U);
  Peer other = peer();
  other.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n" +
             std::string(200, 'y'));
  const std::string refused = other.read_answer();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_TRUE(answer_to(kGetAndClose).ends_with("GET /echo "));
  slow.send("x");
  EXPECT_TRUE(slow.read_answer().ends_with("xxx"));
}

TEST_F(HttpServer, body_counts_until_its_handler_is_through_with_it) {
  options.max_buffered = 1000;
  Held held;
  router.add(Method::post, "/held", std::ref(held));
  start();
  Peer first = peer();
  first.send("POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n" +
             std::string(900, 'x'));
  auto [request, responder] = held.get();
  EXPECT_EQ(server->stats().buffered, 900U);
  const std::string another =
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n" + std::string(200, 'y');
  Peer second = peer();
  second.send(another);
  EXPECT_TRUE(second.read_answer().starts_with("HTTP/1.1 503 "));
  request = {};
  EXPECT_EQ(server->stats().buffered, 0U);
  Peer third = peer();
  third.send(another);
  EXPECT_TRUE(third.read_answer().ends_with("yyy"));
  responder.send(Response::text(200, "done"));
  EXPECT_TRUE(first.read_answer().ends_with("done"));
  server.reset();  // before what its router refers to
}

TEST_F(HttpServer, of_two_bodies_that_do_not_fit_together_one_is_taken) {
  options.max_buffered = 1000;
  start();
  for (int round = 0; round < 100; ++round) {
    std::vector<Peer> clients;
    clients.push_back(peer());
    clients.push_back(peer());
    for (Peer& client : clients) {
      client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 601\r\n\r\n" +
                  std::string(600, 'x'));
    }
    for (int i = 0; i < 30'000 && server->stats().answers[5] <= std::uint64_t(round); ++i) {
      std::this_thread::sleep_for(1ms);
    }
    int taken = 0;
    for (Peer& client : clients) {
      client.send("x");
      if (client.read_answer().ends_with("xxx")) ++taken;
    }
    ASSERT_EQ(taken, 1) << "in round " << round;
  }
}

TEST_F(HttpServer, drained_twice_it_stays_drained) {
  start();
  server->drain(patient());
  server->drain(patient());
  EXPECT_EQ(server->stats().open_connections, 0U);
}

TEST_F(HttpServer, start_on_a_taken_port_names_it) {
  start();
  ServerOptions same = options;
  same.port = server->port();
  const auto second = Server::start(same, Router(), logged.log());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(second.error().message(),
            "listen on 127.0.0.1:" + std::to_string(same.port) + ": Address already in use");
}

TEST_F(HttpServer, start_on_a_foreign_host_fails) {
  options.host = "192.0.2.1";  // reserved for documentation: nobody has it
  const auto started = Server::start(options, Router(), logged.log());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::invalid_argument);
}

TEST_F(HttpServer, none_of_its_descriptors_is_inherited_by_children) {
  start();
  Peer client = peer();
  client.send(kGet);
  client.read_answer();
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    int type = 0;
    socklen_t size = sizeof type;
    if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0) continue;
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << fd;
  }
}

TEST_F(HttpServer, drain_answers_what_is_in_progress_and_closes_the_rest) {
  Held held;
  router.add(Method::get, "/wait", std::ref(held));
  start();
  const std::uint16_t port = server->port();
  Peer idle = peer();
  idle.send(kGet);
  idle.read_answer();
  Peer busy = peer();
  busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  auto [request, responder] = held.get();
  std::jthread drainer([&] { server->drain(patient()); });
  EXPECT_EQ(idle.read_all(), "");
  responder.send(Response::text(200, "finished"));
  const std::string answer = busy.read_all();
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("finished"));
  busy.close();
  drainer.join();
  EXPECT_EQ(server->stats().open_connections, 0U);
  options.port = port;
  EXPECT_TRUE(Server::start(options, Router(), logged.log())) << "the port is free again";
}

TEST_F(HttpServer, drain_cuts_at_its_deadline_what_is_not_answered) {
  Held held;
  router.add(Method::get, "/wait", std::ref(held));
  start();
  Peer client = peer();
  client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  auto [request, responder] = held.get();
  server->drain(Deadline(kClock, 20ms));
  EXPECT_TRUE(request.closed.stop_requested());
  EXPECT_EQ(client.read_all(), "");
}

TEST_F(HttpServer, a_responder_may_outlive_its_server) {
  Held held;
  router.add(Method::get, "/wait", std::ref(held));
  start();
  Peer client = peer();
  client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  auto [request, responder] = held.get();
  server.reset();
  EXPECT_TRUE(request.closed.stop_requested());
  responder.send(Response::text(200, "late"));
  EXPECT_EQ(client.read_all(), "");
}

}  // namespace
}  // namespace assay::http
