// Any body, in any form, is read or refused; never more than that.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/request.hpp"
#include "wire/decode_error.hpp"
#include "wire/request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const auto& [form, name] : assay::kRequestFormNames) {
    const auto request = assay::wire::decode_request(form, body);
    if (!request && assay::wire::describe(request.error()).empty()) __builtin_trap();
  }
  return 0;
}
