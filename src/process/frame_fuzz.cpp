// Feeds a peer's bytes, cut as the input says, to a FrameChannel: no input may crash it, make it
// wait, or make it hold more than what arrived.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <sys/socket.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "process/frame_channel.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLimit = 4096;
  const assay::SystemClock clock;
  auto ends = assay::process::FrameChannel::pair(kLimit);
  if (!ends) return 0;
  auto& [channel, peer] = *ends;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (true) {
    // The first byte of each round is how much is written before the next attempt to receive.
    const std::size_t piece = rest.empty() ? 0 : static_cast<unsigned char>(rest[0]);
    rest.remove_prefix(rest.empty() ? 0 : 1);
    const std::string_view now = rest.substr(0, std::min(piece, rest.size()));
    rest.remove_prefix(now.size());
    if (!now.empty()) (void)::send(peer.get(), now.data(), now.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (rest.empty()) peer.reset();
    const auto frame = channel.receive(assay::Deadline(clock, std::chrono::nanoseconds::zero()));
    if (frame && frame->size() > kLimit) std::abort();
    if (!frame && frame.error().code() != assay::ErrorCode::deadline_exceeded) return 0;
    if (!peer && !frame) std::abort();  // a closed peer must end the stream
  }
}
