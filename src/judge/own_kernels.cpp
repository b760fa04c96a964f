#include "judge/own_kernels.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "model/kernel.hpp"
#include "model/kernel_name.hpp"
#include "model/timing_summary.hpp"

namespace assay::judge {
namespace {

constexpr double kLeastOwn = 0.01;    // of the time of all kernels
constexpr std::size_t kMostTold = 3;  // kernels named in a sentence
/// Namespaces of libraries whose headers a source may include: their kernels stay theirs.
constexpr std::array<std::string_view, 5> kLibraries = {"at", "c10", "cub", "thrust", "cublasLt"};

/// The words of a source with the marks between them, without blanks.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// Empty at the end.
  std::string_view next() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) {
      rest_.remove_prefix(1);
    }
    const auto word = std::ranges::find_if_not(rest_, is_word);
    auto length = static_cast<std::size_t>(word - rest_.begin());
    if (length == 0) length = rest_.starts_with("<<<") ? 3 : std::min<std::size_t>(rest_.size(), 1);
    const auto found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }

 private:
  std::string_view rest_;
};

/// Behind the bracket that closes the one just read.
void skip_bracket(Words& words) {
  int depth = 1;
  while (depth > 0) {
    const auto word = words.next();
    if (word.empty()) return;
    depth += word == "(" ? 1 : word == ")" ? -1 : 0;
  }
}

bool is_attribute(std::string_view word) {
  return word == "__launch_bounds__" || word == "__cluster_dims__" || word == "__attribute__" ||
         word == "__maxnreg__";
}

/// The name of the function whose declaration has just said __global__.
std::string_view declared_name(Words& words) {
  std::string_view last;
  for (auto word = words.next(); !word.empty() && word != ";" && word != "{"; word = words.next()) {
    if (word != "(") {
      last = word;
    } else if (is_attribute(last)) {
      skip_bracket(words);
    } else {
      return last;
    }
  }
  return {};
}

void find_cuda(std::string_view source, std::set<std::string, std::less<>>& names) {
  Words words(source);
  std::string_view last;
  std::vector<std::string_view> templates;  // whose arguments are being read
  std::string_view instance;                // whose arguments have ended
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    if (word == "__global__") {
      if (const auto name = declared_name(words); !name.empty()) names.emplace(name);
    } else if (word == "<<<") {
      const auto name = last == ">" ? instance : last;
      if (!name.empty() && is_word(name.front())) names.emplace(name);
    } else if (word == "<") {
      templates.push_back(last);
    } else if (word == ">" && !templates.empty()) {
      instance = templates.back();
      templates.pop_back();
    } else if (word == ";" || word == "{") {
      templates.clear();  // those were comparisons
    }
    last = word;
  }
}

/// Functions behind a decorator that compiles them: @triton.jit, @jit, @cuda.jit.
void find_jitted(std::string_view source, std::set<std::string, std::less<>>& names) {
  bool jitted = false;
  while (!source.empty()) {
    const auto end = std::min(source.find('\n'), source.size());
    auto line = source.substr(0, end);
    source.remove_prefix(std::min(end + 1, source.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("@")) {
      jitted = jitted || line.find("jit") != std::string_view::npos;
    } else if (line.starts_with("def ")) {
      Words words(line.substr(4));
      if (jitted) names.emplace(words.next());
      jitted = false;
    }
  }
}

}  // namespace

OwnKernels::OwnKernels(const Kernel& kernel) : all_(kernel.type == KernelType::cuda) {
  if (all_) return;
  find_cuda(kernel.source, names_);
  find_jitted(kernel.source, names_);
}

KernelOrigin OwnKernels::origin_of(std::string_view recorded) const {
  if (recorded.starts_with("[")) return KernelOrigin::transfer;
  if (all_) return KernelOrigin::own;
  const bool is_theirs =
      std::ranges::find(kLibraries, outer_namespace(recorded)) != kLibraries.end();
  return !is_theirs && names_.contains(short_kernel_name(recorded)) ? KernelOrigin::own
                                                                    : KernelOrigin::library;
}

WhatRan tell_origins(const OwnKernels& own, KernelTime& time) {
  WhatRan ran;
  for (KernelShare& kernel : time.kernels) {
    kernel.origin = own.origin_of(kernel.name);
    if (kernel.origin == KernelOrigin::own) ran.own += kernel.ns;
    if (kernel.origin != KernelOrigin::library) continue;
    ran.library += kernel.ns;
    if (ran.libraries.size() < kMostTold) ran.libraries.push_back(kernel.name);
  }
  const double all = ran.own + ran.library;
  if (all > 0) {
    ran.own /= all;
    ran.library /= all;
  }
  return ran;
}

std::optional<std::string> lacks_own_work(const WhatRan& ran) {
  if (ran.own >= kLeastOwn) return std::nullopt;
  if (ran.libraries.empty()) return "No kernel of the candidate's own ran";
  return fmt::format(
      "Kernels of the candidate's own took {:.2g} % of its device time. The work was "
      "done by a library: {}",
      100 * ran.own, fmt::join(ran.libraries, ", "));
}

std::optional<std::string> decoy_complaint(const OwnKernels& own, const WhatRan& ran) {
  return own.any() && !ran.libraries.empty() ? lacks_own_work(ran) : std::nullopt;
}

}  // namespace assay::judge
