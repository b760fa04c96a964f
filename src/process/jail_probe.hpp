#pragma once

#include <string>

#include "base/result.hpp"
#include "process/cgroup_tree.hpp"
#include "process/jail_support.hpp"

namespace assay::process {

// Each tries one part of a jail in a child of its own. On success the text says where the part is,
// if that is worth saying. An error says why it is missing.

[[nodiscard]] Result<std::string> try_user_namespace();
/// Any other namespace, or a private /proc.
[[nodiscard]] Result<std::string> try_namespace(JailPart part, bool in_user_namespace);
[[nodiscard]] Result<std::string> try_seccomp(const std::string& program);
[[nodiscard]] Result<std::string> try_cgroup(const CgroupTree& tree, JailPart part);

}  // namespace assay::process
