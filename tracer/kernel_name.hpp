#pragma once

#include <string>
#include <string_view>

namespace assay::tracer {

/// "_Z3foov" as "foo()". A name that is not C++'s stays as it is.
[[nodiscard]] std::string demangled_name(const char* mangled);

/// "void at::native::add<float>(int)" as "add", which Nsight Systems calls a short name.
[[nodiscard]] std::string short_name(std::string_view demangled);

}  // namespace assay::tracer
