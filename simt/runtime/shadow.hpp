#pragma once

#include <cstddef>
#include <cstdint>

#include "lazy_array.hpp"

namespace assay::simt {

/// One remembered access to four bytes. All zero: none.
struct Access {
  std::uint32_t thread;  // of the launch, plus one
  std::uint32_t epoch;
  std::uint32_t clock;
  std::uint32_t tick;
  std::uint32_t site : 24;  // index of the instruction
  std::uint32_t bytes : 4;  // which of the four
  std::uint32_t atomic : 1;
  std::uint32_t write : 1;

  [[nodiscard]] bool present() const { return thread != 0; }
};

/// The last write to four bytes, and two reads since then by different threads. More readers need
/// not be kept: any one of them shows that a later write is not ordered.
struct Cell {
  Access write;
  Access reads[2];
  std::uint32_t released;  // tick of the last atomic that wrote here
};

/// What is known about the bytes of one array.
class Shadow {
 public:
  Shadow() = default;
  Shadow(std::size_t bytes, bool track_races, bool track_init)
      : cells_(track_races ? (bytes + 3) / 4 : 0), written_(track_init ? (bytes + 7) / 8 : 0) {}

  [[nodiscard]] bool tracks_races() const { return static_cast<bool>(cells_); }
  [[nodiscard]] bool tracks_init() const { return static_cast<bool>(written_); }
  Cell& cell(std::size_t index) { return cells_[index]; }

  void mark_written(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      written_[i / 8] = static_cast<std::uint8_t>(written_[i / 8] | 1U << i % 8);
    }
  }
  /// Bytes of the range that nothing has written.
  [[nodiscard]] std::size_t unwritten(std::size_t begin, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) count += (written_[i / 8] >> i % 8 & 1U) == 0 ? 1 : 0;
    return count;
  }
  void clear() {
    cells_.clear();
    written_.clear();
  }

 private:
  LazyArray<Cell> cells_;
  LazyArray<std::uint8_t> written_;
};

}  // namespace assay::simt
