// A Python runner is hostile: whatever it sends is a reply or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "model/python_protocol.hpp"
#include "model/tree.hpp"
#include "wire/python_messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto reply = assay::wire::decode_python_reply(text);
  if (reply) {
    const auto* produced = std::get_if<assay::Produced>(&*reply);
    if (produced != nullptr && assay::structure_of(produced->value).empty()) __builtin_trap();
  }
  return 0;
}
