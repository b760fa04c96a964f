#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/kernel.hpp"

namespace assay::eval {

/// What runners had Triton compile, kept from one evaluation of a source to the next. The
/// submission wrote it. So only a runner of the very same source may get it, and nobody else looks
/// inside.
class CompiledStore {
 public:
  CompiledStore() = default;
  CompiledStore(const CompiledStore&) = delete;
  CompiledStore& operator=(const CompiledStore&) = delete;
  CompiledStore(CompiledStore&&) = delete;
  CompiledStore& operator=(CompiledStore&&) = delete;
  virtual ~CompiledStore() = default;

  [[nodiscard]] virtual std::optional<std::vector<std::byte>> find(const Kernel& kernel) = 0;
  /// Replaces what was kept before. It may fail; then the source is compiled again.
  virtual void keep(const Kernel& kernel, std::span<const std::byte> packed) = 0;
};

/// The most that is kept of one source: some hundred kernels.
inline constexpr std::size_t kMaxCompiledBytes = std::size_t{32} << 20U;

}  // namespace assay::eval
