#include "sanitizer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <link.h>

#include "api_state.hpp"
#include "error_codes.hpp"
#include "launch.hpp"
#include "line_table.hpp"

namespace assay::simt {
namespace {

/// Coordinates are variables of ours that kernels read directly.
bool is_coordinate(const char* address) {
  const auto in = [address](const void* variable, std::size_t bytes) {
    const auto* start = static_cast<const char*>(variable);
    return address >= start && address < start + bytes;
  };
  return in(&threadIdx, sizeof threadIdx) || in(&blockIdx, sizeof blockIdx) ||
         in(&blockDim, sizeof blockDim) || in(&gridDim, sizeof gridDim) ||
         in(&assay_simt_context, sizeof assay_simt_context);
}

std::int64_t index_in(const char* address, const char* base, unsigned element_size) {
  const std::int64_t distance = address - base;
  const std::int64_t size = element_size == 0 ? 1 : element_size;
  return distance >= 0 ? distance / size : -((-distance + size - 1) / size);
}

void copy_name(char (&to)[64], std::string_view name) {
  const std::size_t length = std::min(name.size(), sizeof to - 1);
  std::memcpy(to, name.data(), length);
  to[length] = '\0';
}

}  // namespace

Sanitizer::Sanitizer(Launch& launch)
    : launch_(launch),
      memory_(launch.checks(ASSAY_SIMT_SANITIZE_MEMORY)),
      races_(launch.checks(ASSAY_SIMT_SANITIZE_RACE)),
      init_(launch.checks(ASSAY_SIMT_SANITIZE_INIT)),
      threads_per_block_(launch.spec().block.x * launch.spec().block.y * launch.spec().block.z) {
  const assay_simt_launch_options& options = launch.options();
  for (std::size_t i = 0; i < options.allocation_count; ++i) {
    const assay_simt_allocation& a = options.allocations[i];
    add_region(static_cast<char*>(a.base), a.size, a.name != nullptr ? a.name : "", a.element_size,
               a.initialised != 0);
  }
  for (const assay_simt_allocation& a : Allocations::instance().list()) {
    add_region(static_cast<char*>(a.base), a.size, a.name, a.element_size, a.initialised != 0);
  }
  for (const LaunchSpec::Piece& piece : launch.spec().pieces) {
    auto* base = const_cast<char*>(static_cast<const char*>(piece.base));
    regions_.push_back({base, piece.bytes, "", 1, Shadow(), true});
  }
  add_shared_objects();
  for (const SharedVariable* v = launch.spec().layout->variables; v != nullptr; v = v->next) {
    shared_names_.push_back(
        {v->offset, v->offset + std::size_t{v->size}, v->name, v->element_size});
  }
  std::ranges::sort(shared_names_, {}, &SharedName::begin);
  sites_.push_back(nullptr);  // 0 stands for no place
}

void Sanitizer::add_region(char* base, std::size_t bytes, std::string name, unsigned element_size,
                           bool initialised) {
  Region region{
      base, bytes, std::move(name), element_size, Shadow(bytes, races_, init_ && !initialised),
      false};
  const auto at = std::ranges::upper_bound(regions_, base, {}, &Region::base);
  regions_.insert(at, std::move(region));
}

void Sanitizer::add_shared_objects() {
  // Variables of modules and of libraries are memory a kernel may touch. Races count on those of
  // the kernel's own module: a process with torch has hundreds of megabytes of others.
  const auto add = [](dl_phdr_info* info, std::size_t, void* self) {
    const auto kernel =
        reinterpret_cast<ElfW(Addr)>(static_cast<Sanitizer*>(self)->launch_.spec().run);
    const auto holds_kernel = [&](const ElfW(Phdr) & segment) {
      return segment.p_type == PT_LOAD &&
             kernel - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
    };
    const bool own = std::any_of(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum, holds_kernel);
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      auto* sanitizer = static_cast<Sanitizer*>(self);
      auto* base = reinterpret_cast<char*>(info->dlpi_addr + segment.p_vaddr);
      const bool writable = (segment.p_flags & PF_W) != 0;
      Region region{base,
                    segment.p_memsz,
                    "",
                    1,
                    Shadow(segment.p_memsz, sanitizer->races_ && writable && own, false),
                    true};
      sanitizer->regions_.push_back(std::move(region));
    }
    return 0;
  };
  dl_iterate_phdr(add, this);
  std::ranges::sort(regions_, {}, &Region::base);
}

Sanitizer::Region* Sanitizer::find_region(const char* address) {
  if (last_region_ < regions_.size()) {
    Region& last = regions_[last_region_];
    if (address >= last.base && address < last.base + last.bytes) return &last;
  }
  auto after = std::ranges::upper_bound(regions_, address, {}, &Region::base);
  if (after == regions_.begin()) return nullptr;
  --after;
  if (address >= after->base + after->bytes) return nullptr;
  last_region_ = static_cast<std::size_t>(after - regions_.begin());
  return &*after;
}

Sanitizer::Spot Sanitizer::locate(const Toucher& who, char* address, std::size_t bytes) {
  Spot spot;
  Region* region = find_region(address);
  if (region == nullptr) return locate_shared(who, address, bytes);
  spot.space = ASSAY_SIMT_SPACE_GLOBAL;
  spot.shadow = &region->shadow;
  spot.offset = static_cast<std::size_t>(address - region->base);
  spot.name = region->name;
  spot.index = index_in(address, region->base, region->element_size);
  spot.inside = spot.offset + bytes <= region->bytes;
  return spot;
}

Sanitizer::Spot Sanitizer::locate_shared(const Toucher& who, char* address, std::size_t bytes) {
  const std::size_t end = who.dynamic_offset + launch_.spec().shared_bytes;
  // Beyond the end there is still memory of ours for a while: an index just past the array.
  constexpr std::ptrdiff_t kSlack = 4096;
  const std::ptrdiff_t distance = address - who.shared;
  if (distance < -kSlack || distance >= static_cast<std::ptrdiff_t>(end) + kSlack) {
    return nearest(address);
  }
  Spot spot;
  spot.space = ASSAY_SIMT_SPACE_SHARED;
  spot.shadow = &who.shadow->shared;
  spot.offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(distance, 0));
  const SharedName* nearest_name = nullptr;
  for (const SharedName& name : shared_names_) {
    if (static_cast<std::ptrdiff_t>(name.begin) <= distance) nearest_name = &name;
  }
  const bool dynamic = distance >= static_cast<std::ptrdiff_t>(who.dynamic_offset) &&
                       (launch_.spec().shared_bytes > 0 || nearest_name == nullptr);
  if (dynamic) {
    spot.name = dynamic_name_;
    spot.index = index_in(address, who.shared + who.dynamic_offset, dynamic_element_);
    spot.inside = spot.offset + bytes <= end;
  } else if (nearest_name != nullptr) {
    spot.name = nearest_name->name;
    spot.index = index_in(address, who.shared + nearest_name->begin, nearest_name->element_size);
    spot.inside = spot.offset + bytes <= nearest_name->end;
  }
  return spot;
}

Sanitizer::Spot Sanitizer::nearest(const char* address) {
  Spot spot;
  spot.space = ASSAY_SIMT_SPACE_GLOBAL;
  std::ptrdiff_t best = PTRDIFF_MAX;
  for (const Region& region : regions_) {
    if (region.is_code) continue;
    const std::ptrdiff_t distance =
        address < region.base ? region.base - address : address - (region.base + region.bytes);
    if (distance >= best) continue;
    best = distance;
    spot.name = region.name;
    spot.index = index_in(address, region.base, region.element_size);
  }
  return spot;
}

bool Sanitizer::check(const Toucher& who, char* address, std::size_t bytes, unsigned flags) {
  if (pending_.address != nullptr) settle();
  if (bytes == 0 || is_coordinate(address)) return true;
  const Spot spot = locate(who, address, bytes);
  if (!spot.inside) {
    if (!memory_) return true;
    auto found = finding(ASSAY_SIMT_OUT_OF_BOUNDS, who, spot, address, bytes, flags);
    std::snprintf(found.message, sizeof found.message,
                  "%s of %zu bytes at index %lld of %s, which is out of bounds",
                  (flags & kWriteBit) != 0 ? "write" : "read", bytes,
                  static_cast<long long>(spot.index),
                  found.array[0] != '\0' ? found.array : "no array");
    launch_.report(found, kIllegalAddress);
    return false;
  }
  const bool aligned =
      (flags & kBytesBit) != 0 || reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
  if (memory_ && !aligned) {
    auto found = finding(ASSAY_SIMT_MISALIGNED, who, spot, address, bytes, flags);
    std::snprintf(found.message, sizeof found.message,
                  "%s of %zu bytes at an address that is no multiple of %zu",
                  (flags & kWriteBit) != 0 ? "write" : "read", bytes, bytes);
    launch_.report(found, kMisalignedAddress);
    return false;
  }
  if (init_ && spot.shadow->tracks_init()) check_init(who, spot, address, bytes, flags);
  if (races_ && spot.shadow->tracks_races()) check_races(who, spot, address, bytes, flags);
  return true;
}

void Sanitizer::check_init(const Toucher& who, const Spot& spot, char* address, std::size_t bytes,
                           unsigned flags) {
  const bool reads =
      (flags & kWriteBit) == 0 || ((flags & kAtomicBit) != 0 && (flags & kStoreBit) == 0);
  const std::size_t missing = reads ? spot.shadow->unwritten(spot.offset, spot.offset + bytes) : 0;
  // A copy of bytes may hold the padding of a structure, which nobody writes.
  const bool matters = (flags & kBytesBit) != 0 ? missing == bytes : missing > 0;
  if (matters && is_new(ASSAY_SIMT_UNINITIALISED_READ, site_of(who.caller), 0)) {
    auto found = finding(ASSAY_SIMT_UNINITIALISED_READ, who, spot, address, bytes, flags);
    std::snprintf(found.message, sizeof found.message,
                  "read of index %lld of %s, which nothing has written",
                  static_cast<long long>(spot.index), found.array);
    launch_.report(found, 0);
  }
  if ((flags & kWriteBit) != 0) spot.shadow->mark_written(spot.offset, spot.offset + bytes);
}

void Sanitizer::start_block(BlockShadow& block, std::size_t shared_bytes) {
  block.clock.start_block(0);
  if (block.shared.tracks_races() || block.shared.tracks_init()) {
    block.shared.clear();
  } else {
    block.shared = Shadow(shared_bytes, races_, init_);
  }
}

void Sanitizer::name_dynamic_shared(const char* name, unsigned element_size) {
  dynamic_name_ = name;
  dynamic_element_ = element_size;
}

void Sanitizer::add_heap(void* memory, std::size_t bytes) {
  add_region(static_cast<char*>(memory), bytes, "the device heap", 1, false);
}

void Sanitizer::remove_heap(void* memory) {
  std::erase_if(regions_, [memory](const Region& region) { return region.base == memory; });
}

assay_simt_finding Sanitizer::finding(assay_simt_finding_kind kind, const Toucher& who,
                                      const Spot& spot, char* address, std::size_t bytes,
                                      unsigned flags) const {
  assay_simt_finding result{};
  result.kind = kind;
  result.space = spot.space;
  result.index = spot.index;
  result.address = reinterpret_cast<std::uintptr_t>(address);
  result.access_size = static_cast<std::uint32_t>(bytes);
  result.place = place_here(line_of(static_cast<const char*>(who.caller) - 1, launch_.spec().file));
  result.place.is_write = (flags & kWriteBit) != 0 ? 1 : 0;
  result.place.is_atomic = (flags & kAtomicBit) != 0 ? 1 : 0;
  copy_name(result.array, spot.name);
  if (spot.name.empty() && spot.inside) {
    const char* base = nullptr;
    std::size_t size = 0;
    copy_name(result.array, variable_at(address, base, size));
    if (base != nullptr) result.index = index_in(address, base, static_cast<unsigned>(bytes));
  }
  return result;
}

std::uint32_t Sanitizer::site_of(const void* caller) {
  const auto [found, fresh] =
      site_index_.try_emplace(caller, static_cast<std::uint32_t>(sites_.size()));
  if (fresh) sites_.push_back(caller);
  return found->second;
}

bool Sanitizer::is_new(unsigned kind, std::uint32_t first, std::uint32_t second) {
  return reported_.emplace(kind, first, second).second;
}

}  // namespace assay::simt
