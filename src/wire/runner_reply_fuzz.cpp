// A runner is hostile: whatever it sends is a reply or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/runner_messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto reply = assay::wire::decode_reply(text);
  if (reply && !assay::wire::decode_reply(assay::wire::encode_reply(*reply))) __builtin_trap();
  return 0;
}
