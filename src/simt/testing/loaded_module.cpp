#include "simt/testing/loaded_module.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <assay/simt_abi.h>
#include <dlfcn.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "simt/testing/local_builder.hpp"
#include "simt/toolchain.hpp"
#include "simt/translate.hpp"

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

Result<BuiltModule> build_and_load(std::string_view source, const TranslateOptions& options,
                                   Variant variant) {
  ASSAY_TRY(const Toolchain toolchain, shared_toolchain());
  ASSAY_TRY(TempDir directory, TempDir::create(std::filesystem::temp_directory_path(), "simt-"));
  ASSAY_TRY(const auto built, build(toolchain, source, options, variant, directory.path()));
  if (!built.compiled) return fail(ErrorCode::invalid_argument, built.raw_log);
  ASSAY_TRY(LoadedModule module, LoadedModule::load(toolchain, built.file));
  return BuiltModule{std::move(directory), module};
}

const assay_simt_kernel* LoadedModule::find(std::string_view name) const {
  for (std::size_t i = 0; i < module_->kernel_count; ++i) {
    if (module_->kernels[i]->name == name) return module_->kernels[i];
  }
  return nullptr;
}

}  // namespace assay::simt::testing
