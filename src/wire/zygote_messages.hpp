#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/python_zygote.hpp"

namespace assay::wire {

/// Fails with `unavailable` and the zygote's own reason where it could not start.
[[nodiscard]] Result<ZygoteHello> decode_zygote_hello(std::string_view text);

[[nodiscard]] std::string encode_fork_request(const ForkRequest& request);
[[nodiscard]] Result<ForkReport> decode_fork_report(std::string_view text);

/// Lets a waiting init start its runner. `has_user`: its namespace has a user for it, and it need
/// not map its own.
[[nodiscard]] constexpr std::string_view fork_go(bool has_user) {
  return has_user ? R"({"has_user":true})" : R"({"has_user":false})";
}

}  // namespace assay::wire
