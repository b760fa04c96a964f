#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "eval/shared_arena.hpp"
#include "model/python_protocol.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {
namespace {

class HostArena final : public SharedArena {
 public:
  explicit HostArena(tensor::Arena arena) : arena_(std::move(arena)) {}

  std::span<std::byte> bytes() override { return arena_.bytes(); }
  [[nodiscard]] int fd() const override { return arena_.fd(); }
  [[nodiscard]] MemoryKind memory() const override { return MemoryKind::host; }
  Result<void> push() override { return {}; }
  Result<void> pull() override { return {}; }

 private:
  tensor::Arena arena_;
};

}  // namespace

Result<std::unique_ptr<SharedArena>> make_host_arena(std::size_t size) {
  ASSAY_TRY(tensor::Arena arena, tensor::Arena::create(size));
  return std::make_unique<HostArena>(std::move(arena));
}

}  // namespace assay::eval
