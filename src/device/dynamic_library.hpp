#pragma once

#include <span>
#include <string>

#include "base/result.hpp"

namespace assay::device {

/// One function of a vendor's library: its symbol, and where its address goes.
struct Symbol {
  const char* name;
  void** address;
  bool optional = false;  // newer than the oldest driver we work with: stays null
};

/// The symbol `name`, whose address goes to the pointer `function`.
template <class Function>
[[nodiscard]] Symbol symbol(const char* name, Function& function, bool optional = false) {
  return {.name = name, .address = reinterpret_cast<void**>(&function), .optional = optional};
}

/// Opens the first of `names` that there is, for as long as this process lives, and fills in the
/// symbols. Fails with `not_found` where no such library is installed or it lacks a symbol.
[[nodiscard]] Result<void> open_library(std::span<const std::string> names,
                                        std::span<const Symbol> symbols);

/// Whether this process has the library open already, whoever opened it.
[[nodiscard]] bool is_library_loaded(const std::string& name);

}  // namespace assay::device
