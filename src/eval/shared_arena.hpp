#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/result.hpp"
#include "model/python_protocol.hpp"

namespace assay::eval {

/// Memory that we own and a runner maps. On the `cpu` device both look at the same bytes; on a
/// GPU bytes() is our copy, and push and pull carry it over and back.
class SharedArena {
 public:
  SharedArena() = default;
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;
  SharedArena(SharedArena&&) = delete;
  SharedArena& operator=(SharedArena&&) = delete;
  virtual ~SharedArena() = default;

  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
  [[nodiscard]] virtual int fd() const = 0;  // what the runner is given
  [[nodiscard]] virtual MemoryKind memory() const = 0;
  [[nodiscard]] virtual Result<void> push() = 0;
  [[nodiscard]] virtual Result<void> pull() = 0;
};

/// An arena in the host's memory.
[[nodiscard]] Result<std::unique_ptr<SharedArena>> make_host_arena(std::size_t size);

}  // namespace assay::eval
