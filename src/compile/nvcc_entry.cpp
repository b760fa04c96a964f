#include "compile/nvcc_entry.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "compile/nvrtc_headers.hpp"
#include "device/cubin.hpp"

namespace assay::compile {
namespace {

/// How the Itanium ABI writes a name: "N2ns5scale" of ns::scale, "5scale" of scale.
std::string mangled(std::string_view name) {
  std::string parts;
  int count = 0;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find("::"), name.size());
    const std::string_view part = name.substr(0, end);
    if (!part.empty()) {
      parts += fmt::format("{}{}", part.size(), part);
      ++count;
    }
    name.remove_prefix(std::min(end + 2, name.size()));
  }
  return (count > 1 ? "N" : "") + parts;
}

}  // namespace

std::string nvcc_request(std::string_view expression) {
  // On the host: there a kernel's address instantiates it.
  return fmt::format("\n#ifndef __CUDA_ARCH__\nauto* assay_entry_of_this_module = &{};\n#endif{}",
                     expression, signature_request(expression));
}

std::optional<std::string> entry_in(std::string_view cubin, std::string_view expression) {
  const auto module = device::Cubin::open(cubin);
  if (!module) return std::nullopt;
  const std::string_view name = expression.substr(0, expression.find('<'));
  const std::string prefix = "_Z" + mangled(name);
  std::vector<std::string> fitting;
  for (const std::string& entry : module->entries()) {
    if (entry == name) return entry;  // extern "C"
    if (entry.starts_with(prefix)) fitting.push_back(entry);
  }
  if (fitting.size() != 1) return std::nullopt;
  return fitting.front();
}

}  // namespace assay::compile
