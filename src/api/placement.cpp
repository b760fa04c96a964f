#include "api/placement.hpp"

#include <expected>
#include <optional>
#include <utility>

#include "api/context.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"
#include "queue/sanitizer_place.hpp"
#include "queue/tensor_room.hpp"
#include "wire/decode_error.hpp"

namespace assay::api {

std::expected<std::optional<DeviceId>, wire::FieldError> place(const Context& context,
                                                               const Request& request) {
  const auto device = queue::device_for(request, context.dispatcher.devices());
  if (!device) {
    return std::unexpected(wire::FieldError{
        .path = {"sanitize"}, .message = device.error().message(), .type = "value_error"});
  }
  if (auto why = queue::tensors_too_large(request, *device, context.dispatcher.devices())) {
    return std::unexpected(
        wire::FieldError{.path = {"io", "args"}, .message = *std::move(why), .type = "too_large"});
  }
  if (auto mistake = context.metrics_mistake(request, *device)) {
    return std::unexpected(wire::FieldError{.path = {"device_metrics", "metrics"},
                                            .message = *std::move(mistake),
                                            .type = "value_error"});
  }
  return *device;
}

}  // namespace assay::api
