#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::simt {

/// C++ statements, for simt/include/assay/simt/ptx.hpp, that do what PTX does. Operand n of the
/// asm statement is the variable `assay_p<n>`. With an instruction that is not known, `unknown`
/// names it.
struct PtxCode {
  std::string statements;
  std::string unknown;
};

/// `text` is a template of an asm statement, its escapes resolved.
[[nodiscard]] PtxCode translate_ptx(std::string_view text);

}  // namespace assay::simt
