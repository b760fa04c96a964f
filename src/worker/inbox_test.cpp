#include "worker/inbox.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/unique_fd.hpp"
#include "model/task.hpp"
#include "process/frame_channel.hpp"
#include "wire/worker_messages.hpp"

namespace assay::worker {
namespace {

class InboxTest : public testing::Test {
 protected:
  void tell(const WorkerOrder& order) { tell_text(wire::encode_order(order)); }
  void tell_text(const std::string& text) {
    ASSERT_TRUE(server_.send(text, Deadline(clock_, std::chrono::seconds(10))));
  }
  static EvaluationTask task(std::string name) { return {.job = {std::move(name)}}; }
  static void until_stopped(const OrderedTask& ordered) {
    while (!ordered.stop.stop_requested()) std::this_thread::yield();
  }

  SystemClock clock_;
  std::pair<process::FrameChannel, UniqueFd> ends_ = process::FrameChannel::pair().value();
  process::FrameChannel server_ = std::move(ends_.first);
  process::FrameChannel channel_{std::move(ends_.second)};
  Inbox inbox_{channel_};
};

TEST_F(InboxTest, gives_tasks_in_their_order) {
  tell(task("first"));
  tell(task("second"));
  EXPECT_EQ(inbox_.next()->task.job.value, "first");
  EXPECT_EQ(inbox_.next()->task.job.value, "second");
}

TEST_F(InboxTest, stops_the_task_under_way_and_not_the_next) {
  tell(task("first"));
  const auto first = inbox_.next().value();
  EXPECT_FALSE(first.stop.stop_requested());
  tell(StopTask{});
  until_stopped(first);
  tell(task("second"));
  EXPECT_FALSE(inbox_.next()->stop.stop_requested());
}

TEST_F(InboxTest, stops_the_task_under_way_when_the_server_is_gone) {
  tell(task("first"));
  const auto first = inbox_.next().value();
  server_ = process::FrameChannel(UniqueFd());
  until_stopped(first);
  EXPECT_EQ(inbox_.next().error().code(), ErrorCode::unavailable);
}

TEST_F(InboxTest, fails_with_what_it_could_not_read) {
  tell_text("{}");
  EXPECT_EQ(inbox_.next().error().code(), ErrorCode::data_loss);
}

}  // namespace
}  // namespace assay::worker
