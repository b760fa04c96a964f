#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/diagnostics.hpp"
#include "trace/ncu/rep_decode.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/wire.hpp"

namespace assay::trace {
namespace {

struct Domain {
  std::string name;
  std::map<std::uint64_t, std::string> registered;  // strings by handle
};
using Domains = std::map<std::uint64_t, Domain>;

/// The first field of a message with this number, as bytes.
std::string_view field_bytes(std::string_view message, std::uint32_t number) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == number) return field->bytes();
  }
  return {};
}

std::uint64_t field_integer(std::string_view message, std::uint32_t number) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == number) return field->integer();
  }
  return 0;
}

void decode_domain(std::string_view message, Domains& domains) {
  Domain domain;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 2) domain.name = field->bytes();
    if (field->number == 3) {
      domain.registered[field_integer(field->bytes(), 1)] = field_bytes(field->bytes(), 2);
    }
  }
  if (domain.name == "<default domain>") domain.name.clear();
  domains[field_integer(message, 1)] = std::move(domain);
}

/// A range's own name; where that is empty, the message of its attributes, which may be a
/// string registered with the domain.
std::string range_name(std::string_view name, std::string_view attributes, const Domain& domain) {
  if (!name.empty()) return std::string(name);
  const std::string_view message = field_bytes(attributes, 5);
  const std::string_view text = field_bytes(message, 2);
  if (!text.empty()) return std::string(text);
  const auto registered = domain.registered.find(field_integer(message, 3));
  return registered == domain.registered.end() ? std::string() : registered->second;
}

const Domain& find_domain(const Domains& domains, std::uint64_t id) {
  static const Domain kUnknown;
  const auto found = domains.find(id);
  return found == domains.end() ? kUnknown : found->second;
}

/// NvtxThread: its stacks, outermost range first.
void decode_thread(std::string_view message, const Domains& domains,
                   std::vector<NcuNvtxRange>& ranges) {
  const std::uint64_t thread = field_integer(message, 1);
  WireReader reader(message);
  while (const auto stack = reader.next()) {
    if (stack->number != 2) continue;
    const Domain& domain = find_domain(domains, field_integer(stack->bytes(), 1));
    WireReader entries(stack->bytes());
    while (const auto range = entries.next()) {
      if (range->number != 3) continue;
      ranges.push_back({.kind = NcuNvtxRange::Kind::push_pop,
                        .domain = domain.name,
                        .name = range_name(field_bytes(range->bytes(), 1),
                                           field_bytes(range->bytes(), 2), domain),
                        .thread = thread});
    }
  }
}

void decode_start_end(std::string_view message, const Domains& domains,
                      std::vector<NcuNvtxRange>& ranges) {
  const Domain& domain = find_domain(domains, field_integer(message, 1));
  WireReader reader(message);
  while (const auto range = reader.next()) {
    if (range->number != 3) continue;
    ranges.push_back(
        {.kind = NcuNvtxRange::Kind::start_end,
         .domain = domain.name,
         .name = range_name(field_bytes(range->bytes(), 2), field_bytes(range->bytes(), 3), domain),
         .thread = field_integer(range->bytes(), 5)});
  }
}

}  // namespace

std::vector<NcuNvtxRange> decode_nvtx(std::string_view message, Diagnostics& diagnostics) {
  // Domains first: the order of fields in a message is the writer's choice.
  Domains domains;
  WireReader names(message);
  while (const auto field = names.next()) {
    if (field->number == 1) decode_domain(field->bytes(), domains);
  }
  std::vector<NcuNvtxRange> ranges;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 2) decode_thread(field->bytes(), domains, ranges);
    if (field->number == 3) decode_start_end(field->bytes(), domains, ranges);
  }
  if (reader.malformed()) diagnostics.add("malformed_nvtx", "the NVTX state of a launch");
  return ranges;
}

}  // namespace assay::trace
