#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compile/option_rules.hpp"

namespace assay::compile {

struct AcceptedOptions {
  std::vector<std::string> flags;  // for the host compiler, after our own
  /// Directives that stand before the source. As options of the compiler they would change our own
  /// headers too, and the compiler could not use the precompiled ones.
  std::string macros;
  std::vector<std::string> notes;  // one sentence for each option without effect here
};

/// What a kernel's compiler options, written for nvcc or nvrtc, mean on the `cpu` device. Only
/// known options pass, because an option can name files, programs and plug-ins.
[[nodiscard]] std::variant<AcceptedOptions, RefusedOption> simt_options(
    std::span<const std::string> options);

}  // namespace assay::compile
