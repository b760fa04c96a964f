#include "simt/testing/loaded_module.hpp"

#include <filesystem>
#include <string>
#include <string_view>

#include <dlfcn.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::simt::testing {
namespace {

Result<void*> load_library(const std::filesystem::path& path, int flags) {
  void* handle = dlopen(path.c_str(), flags);
  if (handle == nullptr) return fail(ErrorCode::unavailable, std::string("load: ") + dlerror());
  return handle;
}

}  // namespace

Result<LoadedModule> LoadedModule::load(const Toolchain& toolchain,
                                        const std::filesystem::path& module) {
  ASSAY_TRY(void* const runtime, load_library(runtime_library(toolchain), RTLD_NOW | RTLD_GLOBAL));
  using CatchFaults = int (*)();
  reinterpret_cast<CatchFaults>(dlsym(runtime, "assay_simt_catch_faults"))();
  ASSAY_TRY(void* const handle, load_library(module, RTLD_NOW | RTLD_LOCAL));
  void* symbol = dlsym(handle, ASSAY_SIMT_MODULE_SYMBOL);
  if (symbol == nullptr) return fail(ErrorCode::invalid_argument, "not a kernel module");
  return LoadedModule(reinterpret_cast<assay_simt_module_fn>(symbol)());
}

const assay_simt_kernel* LoadedModule::find(std::string_view name) const {
  for (std::size_t i = 0; i < module_->kernel_count; ++i) {
    if (module_->kernels[i]->name == name) return module_->kernels[i];
  }
  return nullptr;
}

}  // namespace assay::simt::testing
