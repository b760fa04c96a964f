#pragma once

#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "http/message.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// One exchange with a server. An answer outside 2xx is an Error that carries its message.
[[nodiscard]] Result<wire::Value> call(http::Client& client, http::Method method,
                                       std::string_view path, const http::Headers& headers,
                                       std::string_view body, Deadline deadline);

}  // namespace assay::cli
