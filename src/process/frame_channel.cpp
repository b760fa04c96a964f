#include "process/frame_channel.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/wait_ready.hpp"

namespace assay::process {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10U;
constexpr std::size_t kControlSize = CMSG_SPACE(sizeof(int) * FrameChannel::kMaxDescriptors);

struct ControlBuffer {
  alignas(cmsghdr) std::array<char, kControlSize> bytes;
};

std::array<char, 4> encode_length(std::size_t length) {
  std::array<char, 4> header{};
  for (std::size_t i = 0; i < header.size(); ++i) {
    header[i] = static_cast<char>((length >> (8U * i)) & 0xffU);
  }
  return header;
}

std::size_t decode_length(const std::array<char, 4>& header) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    length |= std::size_t{static_cast<unsigned char>(header[i])} << (8U * i);
  }
  return length;
}

void attach(msghdr& message, ControlBuffer& control, std::span<const int> descriptors) {
  if (descriptors.empty()) return;
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
}

void take_descriptors(msghdr& message, std::vector<UniqueFd>& into) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      into.emplace_back(fd);
    }
  }
}

/// Drops what was sent from the front of the two pieces.
void advance(std::array<iovec, 2>& pieces, std::size_t sent) {
  for (iovec& piece : pieces) {
    const std::size_t here = std::min(sent, piece.iov_len);
    piece.iov_base = static_cast<char*>(piece.iov_base) + here;
    piece.iov_len -= here;
    sent -= here;
  }
}

}  // namespace

Result<std::pair<FrameChannel, UniqueFd>> FrameChannel::pair(std::size_t limit) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return std::unexpected(errno_error("make a socket pair"));
  }
  return std::pair(FrameChannel(UniqueFd(ends[0]), limit), UniqueFd(ends[1]));
}

Result<void> FrameChannel::send(std::string_view bytes, Deadline deadline,
                                const std::stop_token& stop) {
  return send(bytes, {}, deadline, stop);
}

Result<void> FrameChannel::send(std::string_view bytes, std::span<const int> descriptors,
                                Deadline deadline, const std::stop_token& stop) {
  if (send_broken_) return fail(ErrorCode::data_loss, "an earlier frame was left half sent");
  if (bytes.size() > std::min<std::size_t>(limit_, std::numeric_limits<std::uint32_t>::max())) {
    return fail(ErrorCode::resource_exhausted,
                fmt::format("a frame of {} bytes is over the limit of {}", bytes.size(), limit_));
  }
  if (descriptors.size() > kMaxDescriptors) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("a frame carries at most {} descriptors", kMaxDescriptors));
  }
  std::array<char, 4> header = encode_length(bytes.size());
  std::array<iovec, 2> pieces{
      iovec{.iov_base = header.data(), .iov_len = header.size()},
      iovec{.iov_base = const_cast<char*>(bytes.data()),  // sendmsg only reads
            .iov_len = bytes.size()}};
  ControlBuffer control;
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  attach(message, control, descriptors);
  const std::size_t total = header.size() + bytes.size();
  for (std::size_t done = 0; done < total;) {
    const ssize_t count = ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
      advance(pieces, static_cast<std::size_t>(count));
      message.msg_control = nullptr;  // the descriptors went with the first byte
      message.msg_controllen = 0;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) {
      return std::unexpected(errno_error("send a frame", ErrorCode::unavailable));
    }
    if (errno != EAGAIN) return std::unexpected(errno_error("send a frame"));
    if (auto ready = wait_ready(socket_.get(), POLLOUT, deadline, stop); !ready) {
      send_broken_ = done > 0;
      return std::unexpected(std::move(ready).error().while_doing("send a frame"));
    }
  }
  return {};
}

std::unexpected<Error> FrameChannel::poison(ErrorCode code, std::string message) {
  receive_broken_.emplace(code, std::move(message));
  partial_ = {};
  return std::unexpected(*receive_broken_);
}

/// Zero bytes mean that the peer has closed.
Result<std::size_t> FrameChannel::read_some(std::span<char> into, Deadline deadline,
                                            const std::stop_token& stop) {
  while (true) {
    ControlBuffer control;
    iovec piece{.iov_base = into.data(), .iov_len = into.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
    const ssize_t count = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count >= 0) {
      take_descriptors(message, partial_.descriptors);
      const bool cut = (static_cast<unsigned>(message.msg_flags) & MSG_CTRUNC) != 0;
      if (cut || partial_.descriptors.size() > kMaxDescriptors) {
        return poison(ErrorCode::invalid_argument, "the peer sent too many descriptors");
      }
      return static_cast<std::size_t>(count);
    }
    if (errno == EINTR) continue;
    if (errno == ECONNRESET) return std::size_t{0};
    if (errno != EAGAIN) return std::unexpected(errno_error("receive a frame"));
    if (auto ready = wait_ready(socket_.get(), POLLIN, deadline, stop); !ready) {
      return std::unexpected(std::move(ready).error().while_doing("receive a frame"));
    }
  }
}

Result<void> FrameChannel::read_header(Deadline deadline, const std::stop_token& stop) {
  while (header_filled_ < header_.size()) {
    const auto rest = std::span(header_).subspan(header_filled_);
    ASSAY_TRY(const std::size_t count, read_some(rest, deadline, stop));
    if (count == 0) {
      if (header_filled_ == 0) return poison(ErrorCode::unavailable, "the peer has closed");
      return poison(ErrorCode::data_loss, "the peer closed inside a frame's length");
    }
    header_filled_ += count;
  }
  const std::size_t length = decode_length(header_);
  if (length > limit_) {
    return poison(
        ErrorCode::resource_exhausted,
        fmt::format("the peer announced a frame of {} bytes; the limit is {}", length, limit_));
  }
  return {};
}

Result<void> FrameChannel::read_body(Deadline deadline, const std::stop_token& stop) {
  const std::size_t length = decode_length(header_);
  std::array<char, kChunk> chunk;
  while (partial_.bytes.size() < length) {
    const std::size_t want = std::min(chunk.size(), length - partial_.bytes.size());
    ASSAY_TRY(const std::size_t count, read_some(std::span(chunk).first(want), deadline, stop));
    if (count == 0) {
      return poison(ErrorCode::data_loss, fmt::format("the peer closed after {} of {} bytes",
                                                      partial_.bytes.size(), length));
    }
    partial_.bytes.append(chunk.data(), count);
  }
  return {};
}

Result<Frame> FrameChannel::receive_frame(Deadline deadline, const std::stop_token& stop) {
  if (receive_broken_) return std::unexpected(*receive_broken_);
  if (auto header = read_header(deadline, stop); !header) return std::unexpected(header.error());
  if (auto body = read_body(deadline, stop); !body) return std::unexpected(body.error());
  header_filled_ = 0;
  return std::exchange(partial_, {});
}

Result<std::string> FrameChannel::receive(Deadline deadline, const std::stop_token& stop) {
  ASSAY_TRY(Frame frame, receive_frame(deadline, stop));
  if (!frame.descriptors.empty()) {
    return poison(ErrorCode::invalid_argument, "the peer sent descriptors where none are expected");
  }
  return std::move(frame.bytes);
}

}  // namespace assay::process
