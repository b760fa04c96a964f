#include "http/responder.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "http/live_exchange.hpp"
#include "http/message.hpp"

namespace assay::http {
namespace {

/// Remembers what a connection was asked to do.
struct Owner final : ExchangeOwner {
  void queue_answer(Response response) override { asked += "answer:" + response.body + " "; }
  void queue_abandoned() override { asked += "abandoned "; }
  void queue_stream(Headers) override { asked += "stream "; }
  void queue_flush() override { asked += "flush "; }
  void queue_disconnect() override { asked += "disconnect "; }
  std::string asked;
};

struct ResponderTest : testing::Test {
  Owner owner;
  std::shared_ptr<LiveExchange> exchange = std::make_shared<LiveExchange>(owner, 64);
};

TEST_F(ResponderTest, passes_its_answer_once_and_is_then_silent) {
  {
    Responder first(exchange);
    Responder moved = std::move(first);
    moved.send(Response::text(200, "x"));
  }
  EXPECT_EQ(owner.asked, "answer:x ");
}

TEST_F(ResponderTest, destroyed_unanswered_says_so) {
  {
    const Responder forgotten(exchange);
  }
  EXPECT_EQ(owner.asked, "abandoned ");
}

TEST_F(ResponderTest, overwritten_unanswered_says_so) {
  Responder kept(exchange);
  kept = Responder(std::make_shared<LiveExchange>(owner, 64));
  EXPECT_EQ(owner.asked, "abandoned ");
  kept.send({});
}

TEST_F(ResponderTest, does_nothing_once_the_connection_is_gone) {
  Responder late(exchange);
  exchange->detach();
  late.send(Response::text(200, "x"));
  EXPECT_EQ(owner.asked, "");
}

TEST_F(ResponderTest, stream_flushes_once_for_many_events_and_once_more_after_they_are_taken) {
  EventStream stream = Responder(exchange).stream();
  EXPECT_TRUE(stream.send("1", "", "a"));
  EXPECT_TRUE(stream.send("2", "", "b"));
  EXPECT_EQ(owner.asked, "stream flush ");
  EXPECT_EQ(exchange->take_backlog().bytes, "id: 1\ndata: a\n\nid: 2\ndata: b\n\n");
  stream.close();
  EXPECT_TRUE(exchange->take_backlog().last);
  EXPECT_FALSE(stream.send("3", "", "c"));
  EXPECT_EQ(owner.asked, "stream flush flush ");
}

TEST_F(ResponderTest, stream_past_its_backlog_disconnects_and_refuses_more) {
  EventStream stream = Responder(exchange).stream();
  EXPECT_TRUE(stream.send("", "", std::string(40, 'x')));
  EXPECT_FALSE(stream.send("", "", std::string(40, 'x')));
  EXPECT_FALSE(stream.send("", "", "y"));
  EXPECT_EQ(owner.asked, "stream flush disconnect ");
}

TEST_F(ResponderTest, stream_refuses_events_once_the_connection_is_gone) {
  EventStream stream = Responder(exchange).stream();
  exchange->detach();
  EXPECT_FALSE(stream.send("1", "", "a"));
}

}  // namespace
}  // namespace assay::http
