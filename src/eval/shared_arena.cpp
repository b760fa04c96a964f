#include "eval/shared_arena.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "model/python_protocol.hpp"
#include "tensor/arena.hpp"
#include "tensor/bytes.hpp"

namespace assay::eval {
namespace {

class HostArena final : public MirroredArena {
 public:
  explicit HostArena(tensor::Arena arena) : arena_(std::move(arena)) {}

  [[nodiscard]] std::span<std::byte> bytes() const override { return arena_.bytes(); }
  [[nodiscard]] int fd() const override { return arena_.fd(); }
  [[nodiscard]] MemoryKind memory() const override { return MemoryKind::host; }
  Result<void> publish() override { return {}; }
  Result<void> fetch() override { return {}; }

 private:
  tensor::Arena arena_;
};

}  // namespace

Result<void> MirroredArena::put(std::size_t offset, std::span<const std::byte> bytes) {
  tensor::copy_bytes(bytes, this->bytes().subspan(offset, bytes.size()));
  return {};
}

Result<void> MirroredArena::poison(std::size_t offset, std::size_t size,
                                   const tensor::Poison& with) {
  tensor::poison(bytes().subspan(offset, size), with);
  return {};
}

Result<bool> MirroredArena::holds(std::size_t offset, std::span<const std::byte> bytes) {
  return tensor::same_bytes(this->bytes().subspan(offset, bytes.size()), bytes);
}

Result<std::span<const std::byte>> MirroredArena::look(std::size_t offset, std::size_t size) {
  return bytes().subspan(offset, size);
}

Result<std::unique_ptr<MirroredArena>> make_host_arena(std::size_t size) {
  ASSAY_TRY(tensor::Arena arena, tensor::Arena::create(size));
  return std::make_unique<HostArena>(std::move(arena));
}

}  // namespace assay::eval
