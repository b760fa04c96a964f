#include "compile/simt_source.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "compile/kernel_entry.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"
#include "simt/translate.hpp"
#include "simt/unsupported.hpp"

namespace assay::compile {

std::variant<SimtSource, Verdict> simt_source(const Kernel& kernel, std::string_view macros) {
  if (const auto constructs = simt::find_unsupported(kernel.source, macros); !constructs.empty()) {
    const simt::Unsupported& first = constructs.front();
    return Unsupported{.reason = fmt::format("{} cannot run on the cpu device", first.construct),
                       .line = static_cast<int>(first.line)};
  }
  const simt::TranslateOptions options{.file_name = kSourceName,
                                       .name_expressions = instances_of(kernel.metadata),
                                       .macros = std::string(macros)};
  auto translation = simt::translate(kernel.source, options);
  if (!translation) return Verdict(DidNotCompile{.log = translation.error().message()});
  const std::size_t arguments = kernel.io ? kernel.io->args.size() : 0;
  auto entry =
      find_entry(kernel.metadata, options.name_expressions, translation->kernels, arguments);
  if (auto* verdict = std::get_if<Verdict>(&entry)) return std::move(*verdict);
  return SimtSource{.text = std::string(macros) + translation->source,
                    .entry = std::get<std::string>(std::move(entry))};
}

}  // namespace assay::compile
