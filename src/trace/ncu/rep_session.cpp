#include <cstdint>
#include <string_view>

#include "trace/diagnostics.hpp"
#include "trace/ncu/rep_decode.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/units.hpp"
#include "trace/ncu/wire.hpp"

namespace assay::trace {
namespace {

NcuSystem decode_system(std::string_view message) {
  NcuSystem system;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        system.os = field->bytes();
        break;
      case 2:
        system.build = field->bytes();
        break;
      case 3:
        system.processor = field->bytes();
        break;
      case 4:
        system.architecture = field->bytes();
        break;
      case 5:
        system.name = field->bytes();
        break;
      default:
        break;
    }
  }
  return system;
}

NcuMetric decode_attribute(std::string_view message, Diagnostics& diagnostics) {
  NcuMetric attribute;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) attribute.name = field->bytes();
    if (field->number == 2) attribute.value = decode_value(field->bytes(), diagnostics);
  }
  attribute.unit = unit_of_metric(attribute.name);
  return attribute;
}

NcuDevice decode_device(std::string_view message, Diagnostics& diagnostics) {
  NcuDevice device;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) device.id = field->integer();
    if (field->number == 2) device.name = field->bytes();
    if (field->number == 3) {
      device.attributes.push_back(decode_attribute(field->bytes(), diagnostics));
    }
  }
  return device;
}

NcuVersion decode_version(std::string_view message) {
  NcuVersion version;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) version.provider = field->bytes();
    if (field->number == 2) version.version = field->bytes();
  }
  return version;
}

}  // namespace

void decode_session(std::string_view message, NcuSession& session, Diagnostics& diagnostics) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 2:
        session.created_unix_s = static_cast<std::int64_t>(field->integer());
        break;
      case 3:
        session.host = decode_system(field->bytes());
        break;
      case 4:
        session.target = decode_system(field->bytes());
        break;
      case 6:
        session.devices.push_back(decode_device(field->bytes(), diagnostics));
        break;
      case 8:
        session.versions.push_back(decode_version(field->bytes()));
        break;
      case 11:
        session.command_line = field->bytes();
        break;
      default:
        break;
    }
  }
  if (reader.malformed()) diagnostics.add("malformed_session", "the session's details");
}

}  // namespace assay::trace
