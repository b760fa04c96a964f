#pragma once

#include <expected>
#include <optional>

#include "api/context.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"
#include "wire/decode_error.hpp"

namespace assay::api {

/// The device that a request's job must run on, nothing where any will do; or the field that no
/// device here could serve.
[[nodiscard]] std::expected<std::optional<DeviceId>, wire::FieldError> place(
    const Context& context, const Request& request);

}  // namespace assay::api
