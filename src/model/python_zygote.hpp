#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "model/device_info.hpp"

namespace assay {

/// What a Python zygote says of itself once it has imported everything.
struct ZygoteHello {
  std::string python;                           // "3.11.7"
  std::map<std::string, std::string> versions;  // of torch, numpy and, where it is there, triton
  std::vector<std::string> missing;             // parts of the children's confinement
};

/// What one child may use; see process::Limits.
struct ForkLimits {
  std::uint64_t memory_bytes = 0;
  std::uint32_t processes = 0;
  std::uint64_t tmp_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint32_t open_files = 0;
  std::int64_t cpu_seconds = 0;
};

/// Asks for a child. With it go three descriptors: the channel it shall serve, the control socket
/// of its init, and the file for what it prints.
struct ForkRequest {
  DeviceKind device = DeviceKind::cpu;
  ForkLimits limits;
  std::string filter;  // struct sock_filter[]; empty: none
  std::map<std::string, std::string> environment;
};

/// The child's init is there. Its pidfd comes along. It waits for a word before it starts the
/// runner.
struct InitWaiting {};
/// The runner's pidfd comes along.
struct RunnerStarted {};
struct RunnerReady {};
struct RunnerEnded {
  int wait_status = 0;
  std::uint64_t peak_memory_bytes = 0;
};
struct ForkFailed {
  std::string reason;
};
/// What is said on a child's control socket. All of it comes before submitted code runs, or from
/// an init that submitted code cannot reach.
using ForkReport = std::variant<InitWaiting, RunnerStarted, RunnerReady, RunnerEnded, ForkFailed>;

}  // namespace assay
