#include "runner/cuda_runner.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/unique_fd.hpp"
#include "device/cuda_driver.hpp"
#include "model/runner_protocol.hpp"
#include "process/frame_channel.hpp"
#include "runner/cuda_session.hpp"
#include "runner/serve_commands.hpp"
#include "wire/runner_messages.hpp"

namespace assay::runner {

int run_cuda_runner(UniqueFd channel_fd) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // what a kernel prints must survive its crash
  const auto driver = device::CudaDriver::open();
  if (!driver) {
    fmt::print("{}\n", driver.error().message());
    return 1;
  }
  std::vector<UniqueFd> descriptors;
  auto session = CudaSession::open(*driver, descriptors);
  if (!session) {
    fmt::print("{}\n", session.error().message());
    return 1;
  }
  process::FrameChannel channel(std::move(channel_fd));
  const SystemClock clock;
  if (!channel.send(wire::encode_reply(Done{}), Deadline(clock, kForever))) return 1;
  return serve_commands(channel, *session, descriptors);
}

}  // namespace assay::runner
