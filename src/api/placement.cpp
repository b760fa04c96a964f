#include "api/placement.hpp"

#include <expected>
#include <optional>
#include <utility>

#include "api/context.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"
#include "queue/sanitizer_place.hpp"
#include "wire/decode_error.hpp"

namespace assay::api {

std::expected<std::optional<DeviceId>, wire::FieldError> place(const Context& context,
                                                               const Request& request) {
  const auto device = queue::device_for(request, context.dispatcher.devices());
  if (!device) {
    return std::unexpected(wire::FieldError{
        .path = {"sanitize"}, .message = device.error().message(), .type = "value_error"});
  }
  if (auto mistake = context.metrics_mistake(request, *device)) {
    return std::unexpected(wire::FieldError{.path = {"device_metrics", "metrics"},
                                            .message = *std::move(mistake),
                                            .type = "value_error"});
  }
  return *device;
}

}  // namespace assay::api
