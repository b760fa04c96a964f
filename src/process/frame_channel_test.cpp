#include "process/frame_channel.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/unique_fd.hpp"

namespace assay::process {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

const SystemClock kClock;

Deadline in(std::chrono::nanoseconds time) {
  return {kClock, time};
}

/// A channel under test and the raw socket of a peer that may write anything.
struct Ends {
  FrameChannel ours;
  UniqueFd theirs;

  static Ends make(std::size_t limit = FrameChannel::kDefaultLimit) {
    auto ends = FrameChannel::pair(limit).value();
    return {std::move(ends.first), std::move(ends.second)};
  }
  void write(std::string_view bytes) const {
    ASSERT_EQ(::write(theirs.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
};

bool same_file(int a, int b) {
  struct stat first{};
  struct stat second{};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_ino == second.st_ino &&
         first.st_dev == second.st_dev;
}

TEST(FrameChannel, carries_frames_of_any_bytes_in_order) {
  Ends ends = Ends::make();
  FrameChannel peer(std::move(ends.theirs));
  const std::string large(1U << 20U, 'x');
  std::jthread sender([&] {
    EXPECT_TRUE(ends.ours.send("", in(5s)));
    EXPECT_TRUE(ends.ours.send("a\0b"sv, in(5s)));
    EXPECT_TRUE(ends.ours.send(large, in(5s)));
  });
  EXPECT_EQ(peer.receive(in(5s)).value(), "");
  EXPECT_EQ(peer.receive(in(5s)).value(), "a\0b"sv);
  EXPECT_EQ(peer.receive(in(5s)).value(), large);
}

TEST(FrameChannel, refuses_an_announced_length_over_the_limit_for_good) {
  Ends ends = Ends::make(100);
  ends.write("\xff\xff\xff\xff");
  EXPECT_EQ(ends.ours.receive(in(5s)).error().code(), ErrorCode::resource_exhausted);
  ends.write("\1\0\0\0x"sv);
  EXPECT_EQ(ends.ours.receive(in(5s)).error().code(), ErrorCode::resource_exhausted);
}

TEST(FrameChannel, refuses_to_send_a_frame_over_the_limit) {
  Ends ends = Ends::make(4);
  EXPECT_EQ(ends.ours.send("12345", in(5s)).error().code(), ErrorCode::resource_exhausted);
  EXPECT_TRUE(ends.ours.send("1234", in(5s)));
}

TEST(FrameChannel, tells_a_closed_peer_from_a_truncated_frame) {
  Ends closed = Ends::make();
  closed.theirs.reset();
  EXPECT_EQ(closed.ours.receive(in(5s)).error().code(), ErrorCode::unavailable);
  EXPECT_EQ(closed.ours.send("x", in(5s)).error().code(), ErrorCode::unavailable);

  Ends in_body = Ends::make();
  in_body.write("\5\0\0\0abc"sv);
  in_body.theirs.reset();
  EXPECT_EQ(in_body.ours.receive(in(5s)).error().code(), ErrorCode::data_loss);

  Ends in_header = Ends::make();
  in_header.write("\5\0"sv);
  in_header.theirs.reset();
  EXPECT_EQ(in_header.ours.receive(in(5s)).error().code(), ErrorCode::data_loss);
}

TEST(FrameChannel, resumes_a_frame_that_a_deadline_interrupted) {
  Ends ends = Ends::make();
  ends.write("\4\0"sv);
  EXPECT_EQ(ends.ours.receive(in(1ms)).error().code(), ErrorCode::deadline_exceeded);
  ends.write("\0\0ab"sv);
  EXPECT_EQ(ends.ours.receive(in(1ms)).error().code(), ErrorCode::deadline_exceeded);
  ends.write("cd");
  EXPECT_EQ(ends.ours.receive(in(5s)).value(), "abcd");
}

TEST(FrameChannel, receive_ends_with_cancelled_when_stopped) {
  Ends ends = Ends::make();
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(ends.ours.receive(in(1min), stop.get_token()).error().code(), ErrorCode::cancelled);
}

TEST(FrameChannel, send_to_a_peer_that_does_not_read_ends_at_the_deadline_and_stays_broken) {
  Ends ends = Ends::make();
  const std::string large(FrameChannel::kDefaultLimit, 'x');
  EXPECT_EQ(ends.ours.send(large, in(10ms)).error().code(), ErrorCode::deadline_exceeded);
  EXPECT_EQ(ends.ours.send("x", in(10ms)).error().code(), ErrorCode::data_loss);
}

TEST(FrameChannel, passes_descriptors_with_the_frame_they_belong_to) {
  Ends ends = Ends::make();
  FrameChannel peer(std::move(ends.theirs));
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(ends.ours.send("plain", in(5s)));
  ASSERT_TRUE(ends.ours.send("two", std::array{null.get(), ends.ours.fd()}, in(5s)));
  EXPECT_EQ(peer.receive(in(5s)).value(), "plain");
  const Frame frame = peer.receive_frame(in(5s)).value();
  EXPECT_EQ(frame.bytes, "two");
  ASSERT_EQ(frame.descriptors.size(), 2U);
  EXPECT_TRUE(same_file(frame.descriptors[0].get(), null.get()));
  EXPECT_TRUE(same_file(frame.descriptors[1].get(), ends.ours.fd()));
  EXPECT_EQ(::fcntl(frame.descriptors[0].get(), F_GETFD), FD_CLOEXEC);
}

TEST(FrameChannel, refuses_descriptors_that_were_not_asked_for) {
  Ends ends = Ends::make();
  FrameChannel peer(std::move(ends.theirs));
  ASSERT_TRUE(peer.send("x", std::array{0}, in(5s)));
  EXPECT_EQ(ends.ours.receive(in(5s)).error().code(), ErrorCode::invalid_argument);
}

TEST(FrameChannel, refuses_more_descriptors_than_a_frame_may_carry) {
  Ends ends = Ends::make();
  const std::vector<int> many(FrameChannel::kMaxDescriptors + 1, ends.ours.fd());
  EXPECT_EQ(ends.ours.send("x", many, in(5s)).error().code(), ErrorCode::invalid_argument);

  // A hostile peer attaches descriptors to every byte of one frame.
  FrameChannel peer(std::move(ends.theirs));
  const std::vector<int> half(FrameChannel::kMaxDescriptors, peer.fd());
  ASSERT_TRUE(peer.send("", half, in(5s)));
  EXPECT_EQ(ends.ours.receive_frame(in(5s)).value().descriptors.size(), half.size());
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 50)> control{};
  for (const char byte : {'\4', '\0', '\0', '\0'}) {
    iovec piece{.iov_base = const_cast<char*>(&byte), .iov_len = 1};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    auto* header = reinterpret_cast<cmsghdr*>(control.data());
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * 50);
    ASSERT_EQ(::sendmsg(peer.fd(), &message, 0), 1);
  }
  EXPECT_EQ(ends.ours.receive_frame(in(5s)).error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::process
