#include "runner/kernel_module.hpp"

#include <span>
#include <string>

#include <assay/simt_abi.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::runner {
namespace {

/// By descriptor: the file's own path does not exist inside the jail.
Result<void*> open_library(const UniqueFd& file, int flags) {
  void* library = ::dlopen(fmt::format("/proc/self/fd/{}", file.get()).c_str(), flags);
  if (library == nullptr) return fail(ErrorCode::internal, ::dlerror());
  return library;
}

}  // namespace

Result<const assay_simt_kernel*> load_kernel(const UniqueFd& support, const UniqueFd& module,
                                             const std::string& entry) {
  ASSAY_TRY(void* runtime, open_library(support, RTLD_NOW | RTLD_GLOBAL));
  using CatchFaults = int (*)();
  const auto catch_faults =
      reinterpret_cast<CatchFaults>(::dlsym(runtime, "assay_simt_catch_faults"));
  if (catch_faults == nullptr || catch_faults() != 0) {
    return fail(ErrorCode::internal, "the simt library cannot catch faults");
  }
  ASSAY_TRY(void* library, open_library(module, RTLD_NOW | RTLD_LOCAL));
  const auto describe =
      reinterpret_cast<assay_simt_module_fn>(::dlsym(library, ASSAY_SIMT_MODULE_SYMBOL));
  if (describe == nullptr) return fail(ErrorCode::internal, "the module describes no kernels");
  const assay_simt_module* description = describe();
  if (description->abi_version != ASSAY_SIMT_ABI_VERSION) {
    return fail(ErrorCode::internal, "the module was built for another version of simt");
  }
  for (const assay_simt_kernel* kernel :
       std::span(description->kernels, description->kernel_count)) {
    if (entry == kernel->name) return kernel;
  }
  return fail(ErrorCode::not_found, fmt::format("the module has no kernel '{}'", entry));
}

}  // namespace assay::runner
