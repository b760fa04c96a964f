#include "device/dynamic_library.hpp"

#include <span>
#include <string>

#include <dlfcn.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::device {

Result<void> open_library(std::span<const std::string> names, std::span<const Symbol> symbols) {
  void* library = nullptr;
  std::string failure;
  for (const std::string& name : names) {
    library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    failure = ::dlerror();
  }
  if (library == nullptr) return fail(ErrorCode::not_found, failure);
  for (const Symbol& symbol : symbols) {
    *symbol.address = ::dlsym(library, symbol.name);
    if (*symbol.address != nullptr || symbol.optional) continue;
    return fail(ErrorCode::not_found, std::string("the library has no ") + symbol.name);
  }
  return {};
}

bool is_library_loaded(const std::string& name) {
  void* library = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  ::dlclose(library);  // gives back this question's reference, not the library
  return true;
}

}  // namespace assay::device
