#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"

namespace assay::tensor {

/// Memory shared with a runner: we own it, the runner maps its descriptor.
class Arena {
 public:
  [[nodiscard]] static Result<Arena> create(std::size_t size);
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  Arena(UniqueFd fd, std::byte* data, std::size_t size)
      : fd_(std::move(fd)), data_(data), size_(size) {}

  UniqueFd fd_;
  std::byte* data_;
  std::size_t size_;
};

/// Where one tensor lies, and where its initial content is kept if its runner puts it in place.
struct Slot {
  std::size_t argument = 0;  // position in the contract
  std::size_t offset = 0;
  std::size_t size = 0;
  bool is_output = false;
  bool is_blank = false;
  std::optional<std::size_t> pristine;  // what it is restored from before each timed run
};

/// A tensor that needs a place.
struct SlotSpec {
  std::size_t argument = 0;
  std::size_t size = 0;
  bool is_output = false;
  bool is_given = true;    // has content before the kernel runs
  bool is_blank = false;   // is only written: what is there before the kernel runs means nothing
  bool is_staged = false;  // is put in place by its runner, from a copy, right before timed runs
  std::size_t row = 0;     // bytes of its last dimension: as far as a kernel easily goes too far
};

/// Bytes of the last dimension.
[[nodiscard]] std::size_t row_bytes(const Shape& shape, DType dtype);

/// One spec for each tensor of the contract. `outputs` holds positions in its arguments.
[[nodiscard]] std::vector<SlotSpec> slot_specs(const IoContract& contract,
                                               const std::vector<std::size_t>& outputs);

/// A byte outside every array that was written.
struct Trespass {
  std::size_t slot = 0;       // the array it lies beside, as a position in slots()
  std::ptrdiff_t offset = 0;  // from the start of that array
};

/// A place for every tensor and for every copy of one. A guard zone lies before and behind each. So
/// a kernel that writes past an array is told so, and does not spoil the array's neighbour. Zones
/// are as long as a row of the arrays beside them, up to a limit. They hold bytes that nobody can
/// guess.
class ArenaLayout {
 public:
  explicit ArenaLayout(const std::vector<SlotSpec>& specs);
  explicit ArenaLayout(const IoContract& contract)
      : ArenaLayout(slot_specs(contract, output_positions(contract))) {}

  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Writes a part of the arena, from an offset on.
  using Put = std::function<Result<void>(std::size_t offset, std::span<const std::byte> bytes)>;
  [[nodiscard]] Result<void> paint_guards(const Put& put);
  /// Reads a part of the arena.
  using Look =
      std::function<Result<std::span<const std::byte>>(std::size_t offset, std::size_t size)>;
  /// The first guard byte that has changed, if any.
  [[nodiscard]] Result<std::optional<Trespass>> broken_guard(const Look& look) const;

 private:
  struct Guard {
    std::size_t offset = 0;
    std::size_t size = 0;
    std::size_t slot = 0;  // whose write it is taken for
  };
  /// Odd, so that elements of one guard do not line up with those of another.
  static constexpr std::size_t kGuardStep = 67;
  [[nodiscard]] std::size_t place(std::size_t size, std::size_t guard, std::size_t slot);
  [[nodiscard]] std::span<const std::byte> bytes_of_guard(std::size_t guard) const;

  std::vector<Slot> slots_;
  std::vector<Guard> guards_;
  std::vector<std::byte> zone_;  // of which each guard holds a part
  std::size_t last_guard_ = 0;   // what was placed last wants so long a zone behind it
  std::size_t last_slot_ = 0;
  std::size_t size_ = 0;
};

/// Two bytes that fill a buffer so that an element nobody wrote cannot pass for an answer: NaN in
/// every float format, an unlikely number in integers.
struct Poison {
  std::array<std::byte, 2> pattern{std::byte{0xFF}, std::byte{0xFF}};
  friend bool operator==(const Poison&, const Poison&) = default;
};

/// At even places no two patterns have the same byte. The first and the second differ at odd places
/// too. All are quiet NaNs, which survive being loaded and stored as a float of any format.
inline constexpr std::array kPoisons = {Poison{{std::byte{0xF9}, std::byte{0x7F}}}, Poison{},
                                        Poison{{std::byte{0xFC}, std::byte{0x7F}}}};

void poison(std::span<std::byte> bytes, const Poison& with = {});
/// Its two bytes as a number, the first one low.
[[nodiscard]] std::uint32_t pattern_of(const Poison& poison);

}  // namespace assay::tensor
