#include "metrics/chosen_kernels.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "model/kernel_choice.hpp"
#include "model/kernel_name.hpp"
#include "model/timing_summary.hpp"

namespace assay::metrics {
namespace {

/// A name as an expression for itself: what is no letter or digit may be anything.
std::string plain(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '.');
  return name;
}

}  // namespace

ChosenKernels choose_kernels(const KernelChoice& choice,
                             const std::optional<TimingSummary>& timing) {
  if (!choice.share || !timing || !timing->kernel_time) return {.expression = choice.name};
  std::vector<std::string> names;
  std::vector<std::string> seen;
  for (const KernelShare& kernel : timing->kernel_time->kernels) {
    const std::string name(short_kernel_name(kernel.name));
    seen.push_back(fmt::format("{} ({:.1f} %)", name, 100 * kernel.share));
    if (kernel.share < *choice.share) continue;
    if (!choice.name.empty() && !has_expression(name, choice.name)) continue;
    if (std::ranges::find(names, plain(name)) == names.end()) names.push_back(plain(name));
  }
  if (!names.empty()) return {.expression = fmt::format("^({})$", fmt::join(names, "|"))};
  constexpr std::size_t kMostNamed = 5;
  seen.resize(std::min(seen.size(), kMostNamed));
  return {.none = fmt::format("no kernel of the call is chosen; it has {}", fmt::join(seen, ", "))};
}

std::string describe(const KernelChoice& choice) {
  if (!choice.any()) return {};
  std::string words = choice.first_of_each_grid ? "the first launch of each grid, of kernels"
                                                : "launches of kernels";
  if (!choice.name.empty()) words += fmt::format(" whose name has '{}' in it", choice.name);
  if (!choice.name.empty() && choice.share) words += " and";
  if (choice.share) {
    words += fmt::format(" that take {:.3g} % of the call's time or more", 100 * *choice.share);
  }
  if (choice.name.empty() && !choice.share) words += " of any name";
  return words;
}

}  // namespace assay::metrics
