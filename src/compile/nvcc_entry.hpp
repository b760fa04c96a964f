#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::compile {

/// Source to stand behind a kernel's own for nvcc. It asks for the kernel's signature as
/// signature_request does. If the kernel is a template, it also asks for the instance.
[[nodiscard]] std::string nvcc_request(std::string_view expression);

/// The symbol of the kernel written as `expression` ("ns::scale<float>") in a module. Nothing where
/// it has none, or several that could be meant.
[[nodiscard]] std::optional<std::string> entry_in(std::string_view cubin,
                                                  std::string_view expression);

}  // namespace assay::compile
