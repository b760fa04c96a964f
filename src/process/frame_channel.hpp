#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::process {

struct Frame {
  std::string bytes;
  std::vector<UniqueFd> descriptors;  // close-on-exec
};

/// Frames over a stream socket, with file descriptors where asked. A frame is its length (32 bits,
/// little endian), then that many bytes. The peer may be hostile. So nothing is allocated before
/// its bytes have arrived, and nothing waits past the deadline.
///
/// Errors: `unavailable` if the peer has closed between frames, `data_loss` if it closed inside
/// one. `resource_exhausted` for a frame over the limit. `invalid_argument` for descriptors where
/// none or fewer are expected. After the last three the stream cannot be trusted, and every further
/// receive fails the same way. A receive that ends by deadline or stop may be repeated. One thread
/// may send while another receives.
class FrameChannel {
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{4} << 20U;
  static constexpr std::size_t kMaxDescriptors = 64;

  /// Takes over one end of a stream socket. `limit` bounds a frame in both directions.
  explicit FrameChannel(UniqueFd socket, std::size_t limit = kDefaultLimit)
      : socket_(std::move(socket)), limit_(limit) {}

  /// Our end, and the descriptor to give to the other process.
  [[nodiscard]] static Result<std::pair<FrameChannel, UniqueFd>> pair(
      std::size_t limit = kDefaultLimit);

  [[nodiscard]] Result<void> send(std::string_view bytes, Deadline deadline,
                                  const std::stop_token& stop = {});
  /// The descriptors are duplicated to the peer; the caller keeps its own.
  [[nodiscard]] Result<void> send(std::string_view bytes, std::span<const int> descriptors,
                                  Deadline deadline, const std::stop_token& stop = {});

  /// A frame that must not carry descriptors.
  [[nodiscard]] Result<std::string> receive(Deadline deadline, const std::stop_token& stop = {});
  [[nodiscard]] Result<Frame> receive_frame(Deadline deadline, const std::stop_token& stop = {});

  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  [[nodiscard]] Result<std::size_t> read_some(std::span<char> into, Deadline deadline,
                                              const std::stop_token& stop);
  [[nodiscard]] Result<void> read_header(Deadline deadline, const std::stop_token& stop);
  [[nodiscard]] Result<void> read_body(Deadline deadline, const std::stop_token& stop);
  [[nodiscard]] std::unexpected<Error> poison(ErrorCode code, std::string message);

  UniqueFd socket_;
  std::size_t limit_;
  // The frame being received, kept across a receive that ran out of time.
  std::array<char, 4> header_{};
  std::size_t header_filled_ = 0;
  Frame partial_;
  std::optional<Error> receive_broken_;  // why nothing more can be received
  bool send_broken_ = false;             // a frame was left half sent
};

}  // namespace assay::process
