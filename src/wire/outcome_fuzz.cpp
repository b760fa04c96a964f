// A stored outcome that was damaged gives an error; one that reads back writes back the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto outcome =
      assay::wire::decode_outcome(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!outcome) return 0;
  const std::string text = assay::wire::encode_outcome(*outcome);
  const auto again = assay::wire::decode_outcome(text);
  if (!again || assay::wire::encode_outcome(*again) != text) __builtin_trap();
  return 0;
}
