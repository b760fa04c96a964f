#include "cli/source_type.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::cli {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool looks_like_python(std::string_view text) {
  constexpr std::array<std::string_view, 4> kSigns = {"import torch", "import triton", "from torch",
                                                      "def "};
  for (const std::string_view sign : kSigns) {
    if (text.starts_with(sign) || has(text, "\n" + std::string(sign))) return true;
  }
  return false;
}

/// CUDA inside a Python source wins over Triton beside it: it is what must be compiled beforehand.
std::string python_type(std::string_view text) {
  if (has(text, "load_inline") || has(text, "cpp_extension")) return "torch_cuda";
  return has(text, "@triton.") ? "triton" : "torch";
}

}  // namespace

Result<std::string> source_type(const std::filesystem::path& path, std::string_view text,
                                std::string_view flag) {
  const std::string ending = path.extension().string();
  if (ending == ".cu" || ending == ".cuh") return "cuda";
  if (ending == ".py" || looks_like_python(text)) return python_type(text);
  if (has(text, "__global__")) return "cuda";
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} looks neither like CUDA nor like Python: say what it is with {}",
                          path == "-" ? "standard input" : path.string(), flag));
}

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace assay::cli
