#include "wild_access.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "api_state.hpp"
#include "line_table.hpp"

namespace assay::simt {
namespace {

constexpr std::uintptr_t kNullBytes = 65'536;  // Linux keeps these unmapped
// Farther off, a wrong index is not the likely reason: 2^32 elements of 16 bytes.
constexpr std::uint64_t kNear = std::uint64_t{1} << 36U;

struct Neighbour {
  assay_simt_allocation array{};
  std::uint64_t distance = kNear;
};

void consider(const assay_simt_allocation& array, std::uintptr_t address, Neighbour& nearest) {
  const auto base = reinterpret_cast<std::uintptr_t>(array.base);
  const std::uint64_t distance =
      address < base ? base - address : address - std::min(address, base + array.size);
  if (distance >= nearest.distance) return;
  nearest = {array, distance};
}

/// The array of the launch, or else of the program, that is nearest to an address.
Neighbour neighbour_of(const Launch& launch, std::uintptr_t address) {
  Neighbour nearest;
  const assay_simt_launch_options& options = launch.options();
  for (std::size_t i = 0; i < options.allocation_count; ++i) {
    consider(options.allocations[i], address, nearest);
  }
  if (options.allocation_count > 0) return nearest;
  for (const assay_simt_allocation& array : Allocations::instance().list()) {
    consider(array, address, nearest);
  }
  return nearest;
}

/// Adds "index 5 of x" to the finding; `text` gets what to say of it.
void name_array(assay_simt_finding& finding, const assay_simt_allocation& array,
                std::uintptr_t address, char (&text)[128]) {
  const auto element = static_cast<std::int64_t>(std::max(array.element_size, 1U));
  const auto distance =
      static_cast<std::int64_t>(address - reinterpret_cast<std::uintptr_t>(array.base));
  finding.index = distance >= 0 ? distance / element : (distance + 1) / element - 1;
  const char* name = array.name != nullptr ? array.name : "";
  std::snprintf(finding.array, sizeof finding.array, "%s", name);
  std::snprintf(text, sizeof text, "; it would be index %lld of %s, which has %llu elements",
                static_cast<long long>(finding.index), *name != '\0' ? name : "the nearest array",
                static_cast<unsigned long long>(array.size / static_cast<std::uint64_t>(element)));
}

}  // namespace

assay_simt_finding wild_access(Block& block, const Fault& fault) {
  const LaunchSpec& spec = block.launch().spec();
  const char* verb = fault.is_write ? "write to" : "read of";
  char where[128] = "";
  assay_simt_finding array{};
  if (fault.has_address && fault.address >= kNullBytes) {
    const Neighbour near = neighbour_of(block.launch(), fault.address);
    if (near.distance < kNear) name_array(array, near.array, fault.address, where);
  }
  const auto address = static_cast<unsigned long long>(fault.address);
  const std::uint32_t line = line_of(fault.code, spec.file);
  assay_simt_finding finding{};
  if (!fault.has_address) {
    finding = finding_here(ASSAY_SIMT_WILD_ACCESS, line,
                           "access in %s to an address that no memory can have", spec.name);
  } else if (fault.address < kNullBytes) {
    finding = finding_here(ASSAY_SIMT_WILD_ACCESS, line,
                           "%s the address 0x%llx in %s: a null pointer", verb, address, spec.name);
  } else {
    finding = finding_here(ASSAY_SIMT_WILD_ACCESS, line,
                           "%s the address 0x%llx in %s, where no memory is%s", verb, address,
                           spec.name, where);
  }
  finding.address = fault.address;
  finding.index = array.index;
  std::memcpy(finding.array, array.array, sizeof finding.array);
  finding.place.is_write = fault.is_write ? 1 : 0;
  return finding;
}

}  // namespace assay::simt
