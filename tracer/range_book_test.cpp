#include "tracer/range_book.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tracer/gate.hpp"
#include "tracer/range_event.hpp"

namespace assay::tracer {
namespace {

TEST(RangeBook, keeps_a_stack_for_each_thread_and_domain) {
  Gate gate({});
  RangeBook book(gate);
  const auto domain = book.create_domain("mine", 1, 5);
  EXPECT_EQ(book.push(0, 1, 10, {.text = "outer"}), 0);
  EXPECT_EQ(book.push(0, 1, 11, {.text = "inner"}), 1);
  EXPECT_EQ(book.push(0, 2, 12, {.text = "elsewhere"}), 0);
  EXPECT_EQ(book.push(domain, 1, 13, {.text = "in domain"}), 0);
  EXPECT_EQ(book.pop(0, 1, 20), 1);
  EXPECT_EQ(book.pop(0, 1, 21), 0);
  EXPECT_EQ(book.pop(0, 1, 22), -1) << "none is open";
  const auto events = book.drain();
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0].type, EventType::domain_create);
  EXPECT_EQ(events[1].label.text, "inner");
  EXPECT_EQ(events[1].start, 11);
  EXPECT_EQ(events[1].end, 20);
  EXPECT_EQ(events[2].label.text, "outer");
  EXPECT_FALSE(events[3].end) << "open ranges are told once, open";
  EXPECT_TRUE(book.drain().empty());
  book.pop(0, 2, 30);
  const auto closed = book.drain();
  ASSERT_EQ(closed.size(), 1U);
  EXPECT_EQ(closed[0].end, 30);
  EXPECT_EQ(closed[0].key, events[4].key) << "the same row, written again";
}

TEST(RangeBook, ranges_that_are_started_may_end_on_another_thread) {
  Gate gate({});
  RangeBook book(gate);
  const auto id = book.start(0, 1, 10, {.text = "work"});
  book.end(id + 100, 1, 11);
  book.end(id, 2, 12);
  const auto events = book.drain();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].type, EventType::start_end);
  EXPECT_EQ(events[0].end_thread, std::optional<std::uint32_t>(2));
}

TEST(RangeBook, is_bounded_and_counts_what_it_loses) {
  Gate gate({});
  RangeBook book(gate);
  for (std::size_t i = 0; i < RangeBook::kMost + 3; ++i) book.tell(EventType::mark, 0, 1, 1, {});
  EXPECT_EQ(book.lost(), 3U);
  EXPECT_EQ(book.drain().size(), RangeBook::kMost);
}

TEST(RangeBook, a_forked_child_keeps_domains_alone) {
  Gate gate({});
  RangeBook book(gate);
  EXPECT_EQ(book.create_domain("mine", 1, 5), 1U);
  book.push(0, 1, 10, {.text = "parents"});
  book.forget_after_fork(7, 20);
  const auto events = book.drain();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].label.text, "mine");
  EXPECT_EQ(events[0].thread, 7U);
  EXPECT_EQ(book.pop(0, 7, 30), -1);
}

}  // namespace
}  // namespace assay::tracer
