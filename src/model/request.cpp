#include "model/request.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "model/kernel.hpp"

namespace assay {
namespace {

/// "scale" of "__global__ void __launch_bounds__(256) scale(…": the first word after `void` that
/// an opening bracket follows and no reserved name is. A guess, good enough for a list.
std::string first_kernel_in(std::string_view source) {
  std::size_t at = source.find("__global__");
  at = at == std::string_view::npos ? at : source.find("void", at);
  if (at == std::string_view::npos) return {};
  for (at += 4; at < source.size();) {
    if (!is_word(source[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < source.size() && is_word(source[end])) ++end;
    const std::string_view word = source.substr(at, end - at);
    const bool is_called = end < source.size() && (source[end] == '(' || source[end] == ' ');
    if (is_called && !word.starts_with("__")) return std::string(word);
    at = word.starts_with("__") ? source.find(')', end) : end;
  }
  return {};
}

}  // namespace

std::string display_name(const Request& request) {
  if (!request.name.empty()) return request.name;
  const KernelMetadata& metadata = request.candidate.metadata;
  for (const auto* name : {&metadata.kernel_name, &metadata.function_name, &metadata.class_name,
                           &metadata.entry_point}) {
    if (*name) return **name;
  }
  return request.candidate.type == KernelType::cuda ? first_kernel_in(request.candidate.source)
                                                    : std::string();
}

}  // namespace assay
