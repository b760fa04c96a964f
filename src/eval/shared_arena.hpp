#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/result.hpp"
#include "model/python_protocol.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {

/// Memory that we own and a runner maps. The runner sees what we wrote after publish(). We see what
/// it wrote after fetch().
class SharedArena {
 public:
  SharedArena() = default;
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;
  SharedArena(SharedArena&&) = delete;
  SharedArena& operator=(SharedArena&&) = delete;
  virtual ~SharedArena() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual int fd() const = 0;  // what the runner is given
  [[nodiscard]] virtual MemoryKind memory() const = 0;

  [[nodiscard]] virtual Result<void> put(std::size_t offset, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Result<void> poison(std::size_t offset, std::size_t size,
                                            const tensor::Poison& with) = 0;
  [[nodiscard]] virtual Result<void> publish() = 0;

  [[nodiscard]] virtual Result<void> fetch() = 0;
  [[nodiscard]] virtual Result<bool> holds(std::size_t offset,
                                           std::span<const std::byte> bytes) = 0;
  /// A part of it, valid until the next fetch.
  [[nodiscard]] virtual Result<std::span<const std::byte>> look(std::size_t offset,
                                                                std::size_t size) = 0;
  /// What was looked at is not needed any more.
  virtual void forget_looks() {}
  /// The runner has no more use for the memory. What was looked at stays, the rest may be freed. If
  /// it is freed, the size is 0 from then on.
  virtual void close() {}
};

/// An arena of which we have every byte in the host's memory.
class MirroredArena : public SharedArena {
 public:
  [[nodiscard]] virtual std::span<std::byte> bytes() const = 0;

  [[nodiscard]] std::size_t size() const override { return bytes().size(); }
  [[nodiscard]] Result<void> put(std::size_t offset, std::span<const std::byte> bytes) override;
  [[nodiscard]] Result<void> poison(std::size_t offset, std::size_t size,
                                    const tensor::Poison& with) override;
  [[nodiscard]] Result<bool> holds(std::size_t offset, std::span<const std::byte> bytes) override;
  [[nodiscard]] Result<std::span<const std::byte>> look(std::size_t offset,
                                                        std::size_t size) override;
};

/// An arena in the host's memory, which both sides map.
[[nodiscard]] Result<std::unique_ptr<MirroredArena>> make_host_arena(std::size_t size);

}  // namespace assay::eval
