#include <cstdint>
#include <string_view>
#include <utility>

#include "trace/diagnostics.hpp"
#include "trace/ncu/rep_decode.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/wire.hpp"

namespace assay::trace {
namespace {

void add_file(std::string_view message, NcuModule& module) {
  NcuSourceFile file;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) file.name = field->bytes();
    if (field->number == 2) file.content = field->bytes();
  }
  module.files.push_back(std::move(file));
}

void add_function(std::string_view message, NcuModule& module) {
  NcuFunctionAddress function;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) function.name = field->bytes();
    if (field->number == 2) function.address = field->integer();
  }
  module.functions.push_back(std::move(function));
}

/// Hands each message of field 1 to `add`: lists come wrapped in a message of their own.
void each_entry(std::string_view list, NcuModule& module,
                void (*add)(std::string_view, NcuModule&)) {
  WireReader reader(list);
  while (const auto field = reader.next()) {
    if (field->number == 1) add(field->bytes(), module);
  }
}

}  // namespace

std::uint64_t decode_module(std::string_view message, NcuModule& module, Diagnostics& diagnostics) {
  std::uint64_t reference = 0;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) reference = field->integer();
    if (field->number == 4) module.cubin = field->bytes();
    if (field->number == 8) each_entry(field->bytes(), module, add_file);
    if (field->number == 9) each_entry(field->bytes(), module, add_function);
  }
  if (reader.malformed()) diagnostics.add("malformed_module", "the code that a launch ran");
  return reference;
}

}  // namespace assay::trace
