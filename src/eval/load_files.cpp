#include "eval/load_files.hpp"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "eval/compiled_store.hpp"
#include "eval/shared_arena.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "tensor/bytes.hpp"

namespace assay::eval {
std::unique_ptr<SharedArena> compiled_of(const Kernel& kernel, CompiledStore* store) {
  if (store == nullptr) return nullptr;
  const auto kept = store->find(kernel);
  if (!kept) return nullptr;
  auto copy = make_host_arena(kept->size());
  if (!copy) return nullptr;
  tensor::copy_bytes(*kept, (*copy)->bytes());
  return *std::move(copy);
}

Result<std::vector<UniqueFd>> open_extensions(PythonLoad& load, const BuiltKernel& built) {
  std::vector<UniqueFd> files;
  if (load.kernel->type == KernelType::torch_cuda) {
    ASSAY_TRY(files.emplace_back(), sealed_copy(built.module));
  }
  for (const std::filesystem::path& container : built.extensions) {
    ASSAY_TRY(files.emplace_back(), sealed_copy(container));
  }
  load.extensions = files.size();
  if (files.empty()) return files;
  const std::filesystem::path support = built.support_dir / "libassay_simt.so";
  if (!std::filesystem::exists(support)) return files;
  ASSAY_TRY(files.emplace_back(), sealed_copy(support));
  load.with_support = true;
  return files;
}

}  // namespace assay::eval
