#pragma once

#include <string_view>
#include <unordered_set>

namespace assay::compile {

struct GlobalNames {
  std::unordered_set<std::string_view> names;
  bool opens_namespaces = false;  // by `using namespace`: then names of those are global too
};

/// Every name that preprocessed C++ declares outside of namespaces and classes, and some that are
/// only used there. A source finds no others without naming a namespace. Macros are not among them.
/// The names refer to `text`.
[[nodiscard]] GlobalNames global_names(std::string_view text);

}  // namespace assay::compile
