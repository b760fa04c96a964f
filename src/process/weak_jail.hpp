#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "process/jail_support.hpp"

namespace assay::process {

inline constexpr std::array kJailParts = {JailPart::user_namespace, JailPart::mount_namespace,
                                          JailPart::pid_namespace,  JailPart::network_namespace,
                                          JailPart::ipc_namespace,  JailPart::uts_namespace,
                                          JailPart::private_proc,   JailPart::seccomp,
                                          JailPart::cgroup_memory,  JailPart::cgroup_pids};

/// Names of parts, of this jail or of one inside it.
using PartNames = std::vector<std::string>;

/// The parts that are missing and that nobody has agreed to do without.
[[nodiscard]] std::vector<JailPartStatus> not_given_up(const JailSupport& support,
                                                       const PartNames& given_up);

/// The command or setting that makes a part available.
[[nodiscard]] std::string_view mend_of(JailPart part);

}  // namespace assay::process
