#include "tensor/arena.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/accelerator.hpp"

namespace assay::tensor {
namespace {

constexpr std::size_t kAlignment = 256;  // what cudaMalloc gives
constexpr std::size_t kGuardSize = 1024;
constexpr std::size_t kLongestGuard = std::size_t{256} << 10U;  // looked through after every run

std::size_t aligned(std::size_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

std::size_t row_bytes(const Shape& shape, DType dtype) {
  return size_of(dtype) * (shape.empty() ? 1 : static_cast<std::size_t>(shape.back()));
}

Result<Arena> Arena::create(std::size_t size) {
  size = std::max(size, kAlignment);
  UniqueFd fd(static_cast<int>(
      ::syscall(SYS_memfd_create, "assay-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
  if (!fd) return std::unexpected(errno_error("create an arena"));
  // A runner that shrank the file would kill us with SIGBUS when we next look at it.
  if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return std::unexpected(errno_error("size an arena"));
  }
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) return std::unexpected(errno_error("map an arena"));
  return Arena(std::move(fd), static_cast<std::byte*>(data), size);
}

Arena::Arena(Arena&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Arena::~Arena() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

std::vector<SlotSpec> slot_specs(const IoContract& contract,
                                 const std::vector<std::size_t>& outputs) {
  std::vector<SlotSpec> specs;
  for (std::size_t i = 0; i < contract.args.size(); ++i) {
    const auto* tensor = std::get_if<TensorArg>(&contract.args[i].value);
    if (tensor == nullptr) continue;
    const bool is_given = !std::holds_alternative<Unspecified>(tensor->content);
    specs.push_back({.argument = i,
                     .size = tensor->byte_size(),
                     .is_output = std::ranges::find(outputs, i) != outputs.end(),
                     .is_given = is_given,
                     .is_blank = tensor->role == Role::output && !is_given,
                     .row = row_bytes(tensor->shape, tensor->dtype)});
  }
  return specs;
}

/// Behind a zone long enough for it and for what lies before. A write past the end is far commoner
/// than one before the start: the zone belongs to what lies before.
std::size_t ArenaLayout::place(std::size_t size, std::size_t guard, std::size_t slot) {
  const std::size_t offset = aligned(size_ + std::max(guard, last_guard_));
  guards_.push_back({.offset = size_, .size = offset - size_, .slot = last_slot_});
  last_guard_ = guard;
  last_slot_ = slot;
  size_ = offset + size;
  return offset;
}

ArenaLayout::ArenaLayout(const std::vector<SlotSpec>& specs) {
  const auto guard_of = [](const SlotSpec& spec) {
    return std::clamp(spec.row, kGuardSize, kLongestGuard);
  };
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const SlotSpec& spec = specs[i];
    slots_.push_back({.argument = spec.argument,
                      .offset = place(spec.size, guard_of(spec), i),
                      .size = spec.size,
                      .is_output = spec.is_output,
                      .is_blank = spec.is_blank});
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].is_given || !(specs[i].is_output || specs[i].is_staged)) continue;
    slots_[i].pristine = place(specs[i].size, guard_of(specs[i]), i);
  }
  size_ = place(0, kGuardSize, last_slot_);
}

Result<void> ArenaLayout::paint_guards(const Put& put) {
  if (zone_.empty()) {
    zone_ = random_bytes(std::ranges::max(guards_, {}, &Guard::size).size +
                         kGuardStep * guards_.size());
    // Below two in every format: what a kernel reads there and multiplies by zero stays zero.
    for (std::byte& byte : zone_) byte &= std::byte{0xBF};
  }
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    if (auto done = put(guards_[i].offset, bytes_of_guard(i)); !done) return done;
  }
  return {};
}

/// Each guard begins elsewhere in the zone: a kernel that copies too far, from behind one array to
/// behind another, would change nothing if both held the same.
std::span<const std::byte> ArenaLayout::bytes_of_guard(std::size_t guard) const {
  return std::span(zone_).subspan(kGuardStep * guard, guards_[guard].size);
}

Result<std::optional<Trespass>> ArenaLayout::broken_guard(const Look& look) const {
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    const Guard& guard = guards_[i];
    ASSAY_TRY(const std::span<const std::byte> zone, look(guard.offset, guard.size));
    const auto written = std::ranges::mismatch(zone, bytes_of_guard(i)).in1;
    if (written == zone.end()) continue;
    const std::size_t start = slots_.empty() ? 0 : slots_[guard.slot].offset;
    const auto offset = static_cast<std::ptrdiff_t>(guard.offset) + (written - zone.begin());
    return Trespass{.slot = guard.slot, .offset = offset - static_cast<std::ptrdiff_t>(start)};
  }
  return std::nullopt;
}

std::uint32_t pattern_of(const Poison& poison) {
  return std::to_integer<std::uint32_t>(poison.pattern[0]) |
         std::to_integer<std::uint32_t>(poison.pattern[1]) << 8U;
}

void poison(std::span<std::byte> bytes, const Poison& with) {
  if (Accelerator* const accelerator = accelerator_of({bytes}); accelerator != nullptr) {
    if (fill_on(*accelerator, bytes.data(), bytes.size(), pattern_of(with))) return;
  }
  std::size_t done = std::min(with.pattern.size(), bytes.size());
  std::copy_n(with.pattern.begin(), done, bytes.begin());
  // Twice as much each time: arrays of gigabytes take no loop of ours.
  while (done < bytes.size()) {
    const std::size_t more = std::min(done, bytes.size() - done);
    std::copy_n(bytes.begin(), more, bytes.begin() + static_cast<std::ptrdiff_t>(done));
    done += more;
  }
}

}  // namespace assay::tensor
