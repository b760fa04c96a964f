// Races: two accesses to the same bytes by different threads, one of them a write, with nothing
// that orders them.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "launch.hpp"
#include "line_table.hpp"
#include "sanitizer.hpp"

namespace assay::simt {

void Sanitizer::check_races(const Toucher& who, const Spot& spot, char* address, std::size_t bytes,
                            unsigned flags) {
  // Polling a volatile variable in global memory is how threads talk where there are no atomics;
  // in shared memory it is the way of the days when warps ran in lockstep, which is over.
  const bool atomic = (flags & kAtomicBit) != 0 ||
                      ((flags & kVolatileBit) != 0 && spot.space == ASSAY_SIMT_SPACE_GLOBAL);
  Access now{};
  now.thread = static_cast<std::uint32_t>(who.block * threads_per_block_ + who.thread) + 1;
  now.epoch = who.shadow->clock.epoch();
  now.clock = who.shadow->clock.own(who.thread);
  now.site = site_of(who.caller) & 0xffffffU;
  now.atomic = atomic ? 1 : 0;
  now.write = (flags & kWriteBit) != 0 ? 1 : 0;
  const std::size_t end = spot.offset + bytes;
  if (atomic) {
    who.shadow->clock.acquire(who.thread, spot.shadow->cell(spot.offset / 4).released);
    if (now.write != 0) spot.shadow->cell(spot.offset / 4).released = ++tick_;
    if (!deferred_.empty()) deferred_.erase({now.thread, address});
  }
  now.tick = tick_;
  for (std::size_t at = spot.offset; at < end;) {
    const std::size_t word = at / 4;
    const std::size_t stop = std::min(end, (word + 1) * 4);
    now.bytes = ((1U << (stop - at)) - 1) << at % 4 & 0xfU;
    Cell& cell = spot.shadow->cell(word);
    check_cell(who, spot, cell, now, address, bytes);
    remember(who, cell, now);
    at = stop;
  }
}

void Sanitizer::check_cell(const Toucher& who, const Spot& spot, Cell& cell, const Access& now,
                           char* address, std::size_t bytes) {
  if (conflict(spot, cell.write, now) && !ordered(who, cell.write, now)) {
    report_race(who, spot, cell.write, now, address, bytes);
  }
  if (now.write == 0) return;
  for (const Access& read : cell.reads) {
    if (conflict(spot, read, now) && !ordered(who, read, now)) {
      report_race(who, spot, read, now, address, bytes);
    }
  }
}

bool Sanitizer::is_peek(const Access& before, const Access& now) {
  return (before.atomic != 0 && now.write == 0) || (now.atomic != 0 && before.write == 0);
}

bool Sanitizer::conflict(const Spot& spot, const Access& before, const Access& now) const {
  if (!before.present() || before.thread == now.thread || (before.bytes & now.bytes) == 0)
    return false;
  if (before.write == 0 && now.write == 0) return false;
  if (before.atomic != 0 && now.atomic != 0) return false;
  const bool same_block =
      (before.thread - 1) / threads_per_block_ == (now.thread - 1) / threads_per_block_;
  if (spot.space == ASSAY_SIMT_SPACE_SHARED) return same_block;  // another block's: its own memory
  // Looking at what others update atomically is a common and harmless shortcut.
  return !is_peek(before, now);
}

bool Sanitizer::ordered(const Toucher& who, const Access& before, const Access& now) const {
  const RaceClock& clock = who.shadow->clock;
  if (before.tick < clock.acquired(who.thread)) return true;
  const std::uint32_t block = (before.thread - 1) / threads_per_block_;
  if (block != (now.thread - 1) / threads_per_block_) return false;
  if (before.epoch < now.epoch) return true;
  return clock.has_seen(who.thread, (before.thread - 1) % threads_per_block_, before.clock);
}

void Sanitizer::remember(const Toucher& who, Cell& cell, const Access& now) const {
  if (now.write != 0) {
    cell.write = now;
    return;
  }
  for (Access& read : cell.reads) {
    if (!read.present() || read.thread == now.thread || ordered(who, read, now)) {
      read = now;
      return;
    }
  }
  cell.reads[1] = now;
}

void Sanitizer::report_race(const Toucher& who, const Spot& spot, const Access& before,
                            const Access& now, char* address, std::size_t bytes) {
  const auto first = std::min(before.site, now.site);
  const auto second = std::max(before.site, now.site);
  if (!is_peek(before, now) && !is_new(ASSAY_SIMT_RACE, first, second)) return;
  const std::uint32_t reader = before.write == 0 ? before.thread : now.thread;
  const unsigned flags = (now.write != 0 ? kWriteBit : 0U) | (now.atomic != 0 ? kAtomicBit : 0U);
  auto found = finding(ASSAY_SIMT_RACE, who, spot, address, bytes, flags);
  found.has_other = 1;
  found.other = place_of(before);
  std::snprintf(
      found.message, sizeof found.message,
      "a %s and a %s of index %lld of %s by different threads, with no barrier between them",
      before.write != 0 ? "write" : "read", now.write != 0 ? "write" : "read",
      static_cast<long long>(found.index), found.array);
  if (is_peek(before, now)) {
    // A look before a compare-and-swap of the same thread guesses, and its guess is checked.
    deferred_.try_emplace({reader, address}, Deferred{found, first, second});
    return;
  }
  const bool both_write = before.write != 0 && now.write != 0 && now.atomic == 0;
  if (!both_write || bytes > sizeof pending_.before) return launch_.report(found, 0);
  // Two threads that write the same value do no harm: wait and see what this one writes.
  pending_.address = address;
  pending_.bytes = bytes;
  std::memcpy(pending_.before, address, bytes);
  pending_.finding = found;
}

void Sanitizer::settle() {
  if (pending_.address == nullptr) return;
  const bool same = std::memcmp(pending_.before, pending_.address, pending_.bytes) == 0;
  pending_.address = nullptr;
  if (!same) launch_.report(pending_.finding, 0);
}

void Sanitizer::finish() {
  settle();
  for (const auto& [where, race] : deferred_) {
    if (is_new(ASSAY_SIMT_RACE, race.first, race.second)) launch_.report(race.finding, 0);
  }
  deferred_.clear();
}

assay_simt_place Sanitizer::place_of(const Access& access) const {
  const dim3& grid = launch_.spec().grid;
  const dim3& size = launch_.spec().block;
  const std::uint32_t block = (access.thread - 1) / threads_per_block_;
  const std::uint32_t thread = (access.thread - 1) % threads_per_block_;
  assay_simt_place place{};
  place.thread[0] = thread % size.x;
  place.thread[1] = thread / size.x % size.y;
  place.thread[2] = thread / size.x / size.y;
  place.block[0] = block % grid.x;
  place.block[1] = block / grid.x % grid.y;
  place.block[2] = block / grid.x / grid.y;
  place.line = line_of(static_cast<const char*>(sites_[access.site]) - 1, launch_.spec().file);
  place.is_write = access.write;
  place.is_atomic = access.atomic;
  return place;
}

}  // namespace assay::simt
