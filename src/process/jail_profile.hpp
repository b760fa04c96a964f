#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::process {

struct Limits {
  /// Of the whole jail, its /tmp included, where a memory control group is available; otherwise the
  /// private memory of each process.
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;
  std::uint32_t processes = 64;  // processes and threads of the whole jail
  std::uint64_t tmp_bytes = std::uint64_t{256} << 20U;
  std::uint64_t file_bytes = std::uint64_t{256} << 20U;  // the largest file that can be written
  std::uint32_t open_files = 256;
  std::chrono::seconds cpu_time{60};  // of each process; the wall clock is the caller's deadline
};

/// Shows a file or directory of the host inside the jail. Keep `inside` equal to `host` where
/// possible: then the same command also works where mount namespaces are forbidden.
struct Bind {
  std::filesystem::path host;
  std::filesystem::path inside;
  bool writable = false;
  bool optional = false;  // skipped where the host has no such path
};

/// Which system calls stay. All refuse tracing, bpf, keys, io_uring, perf and new sockets;
/// `compiler` also refuses what a compiler has no use for. `zygote` alone may make namespaces and
/// mount, in order to shut in its children, who are to load the filter of `runner` themselves.
/// `gpu_runner` and `gpu_zygote` are those with local sockets, without which CUDA does not start;
/// their names are those of the jail's own network and file system. `gpu_profiler` may also connect
/// sockets: a profiler and what it profiles speak over the loopback of the jail's own network.
enum class SyscallPolicy : std::uint8_t {
  compiler,
  runner,
  zygote,
  gpu_runner,
  gpu_zygote,
  gpu_profiler
};

/// The one capability that a jailed profiler may keep, because the driver asks for it before it
/// lets anybody read a GPU's counters. Only root can give it, and then the jail shares the user
/// namespace of the system: in one of its own no capability counts with the driver.
enum class KeptCapability : std::uint8_t {
  none,
  perfmon,    // CAP_PERFMON; the calls it opens are refused by the filter
  sys_admin,  // CAP_SYS_ADMIN, for drivers that ask for no less
};

/// What a jailed program sees and may use. Beside the binds it always has /usr with its library
/// directories, the loader's cache, /dev/{null,zero,full,random,urandom}, a private /tmp (also
/// /dev/shm) and its own /proc; everything but /tmp and the writable binds is read-only.
struct JailProfile {
  std::string name{};
  std::vector<Bind> binds{};
  Limits limits{};
  SyscallPolicy syscalls = SyscallPolicy::runner;
  KeptCapability kept = KeptCapability::none;
};

/// The user and group that jailed programs have inside the jail.
inline constexpr unsigned kJailId = 65534;

/// Lets jailed programs write into a directory of ours: they run as another user when we are root.
[[nodiscard]] Result<void> give_to_jail(const std::filesystem::path& directory);

}  // namespace assay::process
