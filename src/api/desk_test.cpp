#include "api/desk.hpp"

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/log.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"

namespace assay::api {
namespace {

/// Where a test hears of its answer.
class Ear final : public http::Exchange {
 public:
  void answer(http::Response response) override { heard.set_value(response.status); }
  void abandon() override { heard.set_value(0); }
  void open_stream(http::Headers) override {}
  bool push(std::string_view) override { return false; }
  void close_stream() override {}

  std::promise<int> heard;
};

class DeskTest : public testing::Test {
 protected:
  std::future<int> ask(const http::Handler& handler, std::size_t body) {
    auto ear = std::make_shared<Ear>();
    auto answer = ear->heard.get_future();
    handler({.body = std::string(body, 'x')}, http::Responder(ear));
    return answer;
  }

  const Log log_{-1};
};

TEST_F(DeskTest, answers_on_another_thread) {
  Desk desk(log_);
  std::thread::id thread;
  const http::Handler handler = desk.at_desk([&](http::Request, http::Responder responder) {
    thread = std::this_thread::get_id();
    responder.send({.status = 201});
  });
  EXPECT_EQ(ask(handler, 10).get(), 201);
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(DeskTest, large_requests_hold_up_no_small_one) {
  std::promise<void> gate;
  const auto opened = gate.get_future().share();
  Desk desk(log_);
  const http::Handler handler = desk.at_desk([&](http::Request request, http::Responder responder) {
    if (request.body.size() > Desk::kLarge) opened.wait();
    responder.send({.status = 200});
  });
  auto first = ask(handler, Desk::kLarge + 1);
  auto second = ask(handler, Desk::kLarge + 1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask(handler, 10).get(), 200);
  gate.set_value();
  EXPECT_EQ(first.get(), 200);
  EXPECT_EQ(second.get(), 200);
}

TEST_F(DeskTest, handler_that_throws_leaves_its_request_unanswered_and_the_desk_at_work) {
  Desk desk(log_);
  const http::Handler handler = desk.at_desk([](http::Request request, http::Responder responder) {
    if (request.body.empty()) throw std::runtime_error("no body");
    responder.send({.status = 200});
  });
  EXPECT_EQ(ask(handler, 0).get(), 0);
  EXPECT_EQ(ask(handler, 1).get(), 200);
}

TEST_F(DeskTest, what_waits_when_it_ends_is_abandoned) {
  std::promise<void> gate;
  const auto opened = gate.get_future().share();
  std::future<int> waiting;
  {
    Desk desk(log_);
    const http::Handler handler = desk.at_desk([&](http::Request, http::Responder responder) {
      opened.wait();
      responder.send({.status = 200});
    });
    auto first = ask(handler, 1);
    auto second = ask(handler, 1);
    for (int i = 0; i < 3; ++i) waiting = ask(handler, 1);
    std::jthread opener([&] { gate.set_value(); });
  }
  const int status = waiting.get();
  EXPECT_TRUE(status == 0 || status == 200) << "either way it has an end";
}

}  // namespace
}  // namespace assay::api
