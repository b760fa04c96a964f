#include "worker/compiled_files.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "eval/compiled_store.hpp"
#include "model/kernel.hpp"
#include "worker/kept_files.hpp"

namespace assay::worker {
namespace {

constexpr std::string_view kFormat = "zip 1";  // of what runners pack

}  // namespace

Result<std::unique_ptr<CompiledFiles>> CompiledFiles::open(std::filesystem::path directory,
                                                           std::string scope, std::uint64_t limit,
                                                           const Clock& clock) {
  ASSAY_TRY(auto files, KeptFiles::open(std::move(directory), limit, clock));
  return std::unique_ptr<CompiledFiles>(new CompiledFiles(std::move(files), std::move(scope)));
}

Digest CompiledFiles::key_of(const Kernel& kernel) const {
  return Hasher()
      .field(kFormat)
      .field(scope_)
      .field(to_string(kernel.type))
      .field(kernel.source)
      .finish();
}

std::optional<std::vector<std::byte>> CompiledFiles::find(const Kernel& kernel) {
  const auto packed = files_->find(key_of(kernel), eval::kMaxCompiledBytes);
  if (!packed) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(*packed));
  return std::vector(bytes.begin(), bytes.end());
}

void CompiledFiles::keep(const Kernel& kernel, std::span<const std::byte> packed) {
  // A copy before its digest: the runner can still write to the original.
  const std::string copy(reinterpret_cast<const char*>(packed.data()), packed.size());
  files_->keep(key_of(kernel), copy);
}

}  // namespace assay::worker
