#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "process/jail_profile.hpp"

namespace assay::process {

/// What the jail's init is told to do, in one frame. The descriptors for the program come with it,
/// in the order of `descriptor_numbers`.
struct JailPlan {
  std::vector<std::string> argv;  // empty: only build the jail, to see whether it can be built
  std::vector<std::string> environment;
  std::string working_directory;
  std::vector<int> descriptor_numbers;

  // Which parts of the jail to build; all false for a command without one.
  bool pid_namespace = false;  // init is pid 1: its end is the end of every process
  bool mount_namespace = false;
  bool private_proc = false;
  bool host_name = false;
  bool change_identity = false;  // to kJailId, without capabilities
  bool restrict = false;         // no_new_privs, rlimits
  bool limit_private_memory = false;
  bool limit_user_processes = false;
  bool loopback = false;  // of its own network, where it has one
  int landlock = 0;       // the version to use; 0: none
  KeptCapability kept = KeptCapability::none;
  std::vector<Bind> binds;
  Limits limits;
  std::string seccomp_program;  // struct sock_filter[]; empty: none
};

[[nodiscard]] std::string encode(const JailPlan& plan);
[[nodiscard]] Result<JailPlan> decode_plan(std::string_view bytes);

// What init answers, each in one frame.
struct Started {};
struct SetupFailed {
  std::string message;
};
struct ExecFailed {
  int error_number;
};
struct Ended {
  int wait_status;
  std::uint64_t peak_memory_bytes;  // of the largest process, as the kernel counted it at its end
};
using InitReport = std::variant<Started, SetupFailed, ExecFailed, Ended>;

[[nodiscard]] std::string encode(const InitReport& report);
[[nodiscard]] Result<InitReport> decode_report(std::string_view bytes);

/// Sent by the parent once the jail's control group is joined.
inline constexpr std::string_view kGo = "go";

}  // namespace assay::process
