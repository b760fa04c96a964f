#include "trace/diagnostics.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::trace {

void Diagnostics::add(std::string_view name, std::string_view detail, std::uint64_t count) {
  if (count == 0) return;
  const auto entry = std::ranges::find(entries_, name, &Diagnostic::name);
  if (entry != entries_.end()) {
    entry->count += count;
  } else {
    entries_.push_back({std::string(name), std::string(detail), count});
  }
}

void Diagnostics::merge(const Diagnostics& other) {
  for (const Diagnostic& entry : other.entries_) add(entry.name, entry.detail, entry.count);
}

std::uint64_t Diagnostics::count(std::string_view name) const {
  const auto entry = std::ranges::find(entries_, name, &Diagnostic::name);
  return entry == entries_.end() ? 0 : entry->count;
}

}  // namespace assay::trace
