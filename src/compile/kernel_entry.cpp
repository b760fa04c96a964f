#include "compile/kernel_entry.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/first_of.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"
#include "simt/translate.hpp"

namespace assay::compile {
namespace {

using Kernels = std::vector<simt::TranslatedKernel>;

Verdict did_not_compile(std::string log) {
  return DidNotCompile{.log = std::move(log)};
}

/// "scale" of "ns::scale<float, 4>".
std::string_view plain_name(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const std::size_t scope = name.rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

std::string list_of(const Kernels& kernels) {
  std::vector<std::string> names;
  for (const auto& kernel : kernels) {
    names.push_back(kernel.name + (kernel.is_template ? " (a template)" : ""));
  }
  return names.empty() ? "none" : first_of(names);
}

/// An instance of the template `name` among those asked for.
const std::string* instance_of(std::string_view name, const std::vector<std::string>& expressions) {
  const auto found = std::ranges::find_if(expressions, [&](const std::string& expression) {
    return plain_name(expression) == plain_name(name);
  });
  return found == expressions.end() ? nullptr : &*found;
}

std::variant<std::string, Verdict> entry_of(const simt::TranslatedKernel& kernel,
                                            const std::vector<std::string>& expressions,
                                            bool for_simt) {
  if (!kernel.is_template) return for_simt ? kernel.entry : kernel.name;
  if (const std::string* instance = instance_of(kernel.name, expressions)) return *instance;
  return did_not_compile(
      fmt::format("{}:{}: kernel '{}' is a template: put an instance of it, such "
                  "as {}<float>, into name_expressions",
                  kSourceName, kernel.line, kernel.name, kernel.name));
}

/// The kernel that is called so: in full, as an overload with its parameters, or without its
/// namespaces. Of overloads the one that takes `arguments` comes first.
const simt::TranslatedKernel* named(const Kernels& kernels, std::string_view name,
                                    std::optional<std::size_t> arguments) {
  const auto first = [&](auto matches) -> const simt::TranslatedKernel* {
    const auto found = std::ranges::find_if(kernels, matches);
    return found == kernels.end() ? nullptr : &*found;
  };
  if (const auto* found = first([&](const auto& kernel) {
        return kernel.name == name && kernel.parameter_count == arguments;
      })) {
    return found;
  }
  if (const auto* found =
          first([&](const auto& kernel) { return kernel.name == name || kernel.entry == name; })) {
    return found;
  }
  return first([&](const auto& kernel) { return plain_name(kernel.name) == name; });
}

/// Those that no conditional leaves out; all where that seems to leave none, for then a condition
/// was not understood.
Kernels kept_of(const Kernels& kernels) {
  Kernels kept;
  std::ranges::copy_if(kernels, std::back_inserter(kept), &simt::TranslatedKernel::is_kept);
  return kept.empty() ? kernels : kept;
}

/// Whether it is for the submitter to say which one is meant. Instances of templates say it.
bool is_ambiguous(const KernelMetadata& metadata, const Kernels& kernels) {
  return !metadata.takes_first && metadata.name_expressions.empty() &&
         std::ranges::any_of(kernels,
                             [&](const auto& one) { return one.name != kernels.front().name; });
}

}  // namespace

std::vector<std::string> instances_of(const KernelMetadata& metadata) {
  std::vector<std::string> expressions = metadata.name_expressions;
  const auto& name = metadata.kernel_name;
  const bool is_instance = name && name->find('<') != std::string::npos;
  if (is_instance && std::ranges::count(expressions, *name) == 0) expressions.push_back(*name);
  return expressions;
}

std::variant<std::string, Verdict> find_entry(const KernelMetadata& metadata,
                                              const std::vector<std::string>& expressions,
                                              const std::vector<simt::TranslatedKernel>& kernels,
                                              std::optional<std::size_t> arguments) {
  if (kernels.empty()) return did_not_compile("there is no __global__ function in the source");
  const bool for_simt = arguments.has_value();
  const Kernels kept = kept_of(kernels);
  if (!metadata.kernel_name && is_ambiguous(metadata, kept)) {
    return did_not_compile(
        fmt::format("the source has several kernels ({}): say which one to launch with "
                    "metadata.kernel_name, or --kernel-name on the command line",
                    list_of(kept)));
  }
  if (!metadata.kernel_name) return entry_of(kept.front(), expressions, for_simt);
  const std::string& name = *metadata.kernel_name;
  if (std::ranges::find(expressions, name) != expressions.end()) return name;
  for (const Kernels* some : {&kept, &kernels}) {
    if (const auto* found = named(*some, name, arguments)) {
      return entry_of(*found, expressions, for_simt);
    }
  }
  return did_not_compile(
      fmt::format("there is no kernel '{}' in the source (there is: {})", name, list_of(kept)));
}

}  // namespace assay::compile
