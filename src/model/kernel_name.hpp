#pragma once

#include <string>
#include <string_view>

namespace assay {

/// The bare identifier of a demangled kernel name: `reduce_kernel` of
/// "void at::native::reduce_kernel<512, 1, ...>(...)".
[[nodiscard]] std::string_view short_kernel_name(std::string_view demangled);

/// The outermost namespace of the same name: `at`. Empty if the kernel is in no namespace, or in
/// one without a name.
[[nodiscard]] std::string_view outer_namespace(std::string_view demangled);

/// A name that different demanglers agree on. Releases write `(int)4` or `4`, `(bool)1` or `true`,
/// `<unnamed>` or `(anonymous namespace)`, `[lambda() (instance 3)]` or `{lambda()#3}`. They give
/// parameters of templates by name or by type, so parameters are left out.
[[nodiscard]] std::string comparable_kernel_name(std::string_view demangled);

}  // namespace assay
