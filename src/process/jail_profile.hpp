#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::process {

struct Limits {
  /// The memory of the whole jail, its /tmp included, if a memory control group is available.
  /// Otherwise the private memory of each process.
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;
  std::uint32_t processes = 64;  // processes and threads of the whole jail
  std::uint64_t tmp_bytes = std::uint64_t{256} << 20U;
  std::uint64_t file_bytes = std::uint64_t{256} << 20U;  // the largest file that can be written
  std::uint32_t open_files = 256;
  std::chrono::seconds cpu_time{60};  // of each process; the wall clock is the caller's deadline
};

/// Shows a file or directory of the host inside the jail. Keep `inside` equal to `host` where
/// possible. Then the same command also works on hosts that forbid mount namespaces.
struct Bind {
  std::filesystem::path host;
  std::filesystem::path inside;
  bool writable = false;
  bool optional = false;  // skipped where the host has no such path
};

/// Which system calls stay. On the processor they are those that were recorded
/// (process/syscall_lists.hpp). Of these policies only `zygote` may make namespaces and mount. It
/// needs both to confine its children, who load the filter of `python` themselves. The policies for
/// GPUs are lists of what is refused: tracing, bpf, keys, io_uring, perf and the like.
/// `gpu_compiler` is for NVIDIA's compilers, which have no sockets. `gpu_runner` and `gpu_zygote`
/// allow local sockets, because CUDA does not start without them. Such sockets reach only the
/// jail's own network and file system. `gpu_profiler` may also connect sockets: a profiler and the
/// program under it speak over the loopback of the jail's own network.
enum class SyscallPolicy : std::uint8_t {
  compiler,
  runner,
  python,
  zygote,
  gpu_compiler,
  gpu_runner,
  gpu_zygote,
  gpu_profiler
};

inline constexpr std::array kSyscallPolicies = {
    SyscallPolicy::compiler,   SyscallPolicy::runner,       SyscallPolicy::python,
    SyscallPolicy::zygote,     SyscallPolicy::gpu_compiler, SyscallPolicy::gpu_runner,
    SyscallPolicy::gpu_zygote, SyscallPolicy::gpu_profiler};

/// Whether the policy is a list of what was recorded on the processor, and not one for GPUs.
[[nodiscard]] bool is_recorded(SyscallPolicy policy);

/// The one capability that a jailed profiler may keep. The driver asks for it before it lets
/// anybody read a GPU's counters. Only root can give it. The jail then shares the user namespace of
/// the system, because the driver accepts no capability from inside another.
enum class KeptCapability : std::uint8_t {
  none,
  perfmon,    // CAP_PERFMON; the calls it opens are refused by the filter
  sys_admin,  // CAP_SYS_ADMIN, for drivers that ask for no less
};

/// What a jailed program sees and may use. Beside the binds it always has /usr with its library
/// directories, the loader's cache, /dev/{null,zero,full,random,urandom}, a private /tmp (also
/// /dev/shm) and its own /proc. Everything but /tmp and the writable binds is read-only.
struct JailProfile {
  std::string name{};
  std::vector<Bind> binds{};
  Limits limits{};
  SyscallPolicy syscalls = SyscallPolicy::runner;
  KeptCapability kept = KeptCapability::none;
  /// Of the processor and the disk, where others who want them too have 100.
  std::uint32_t share = 100;
};

/// The user and group that jailed programs have inside the jail.
inline constexpr unsigned kJailId = 65534;

/// Lets jailed programs write into a directory of ours: they run as another user when we are root.
[[nodiscard]] Result<void> give_to_jail(const std::filesystem::path& directory);

}  // namespace assay::process
