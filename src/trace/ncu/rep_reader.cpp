#include "trace/ncu/rep_reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/result.hpp"
#include "trace/diagnostics.hpp"
#include "trace/ncu/rep_container.hpp"
#include "trace/ncu/rep_decode.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/source_view.hpp"
#include "trace/ncu/wire.hpp"

namespace assay::trace {
namespace {

/// Field numbers of a result message; 0 where that kind of result has no such field.
struct ResultFields {
  std::uint32_t mangled, function, name, grid, block;
  std::uint32_t metrics, created, sections, rules, nvtx, context, stream, module;
};
constexpr ResultFields kKernelFields{5, 6, 7, 10, 11, 13, 14, 17, 19, 21, 22, 23, 15};
constexpr ResultFields kRangeFields{0, 0, 0, 0, 0, 4, 5, 7, 20, 10, 11, 0, 0};
constexpr ResultFields kCmdlistFields{0, 0, 18, 0, 0, 4, 5, 7, 21, 10, 11, 12, 0};
constexpr ResultFields kGraphFields{0, 0, 0, 0, 0, 4, 5, 7, 22, 10, 11, 12, 0};

const ResultFields& fields_of(NcuWorkload workload) {
  switch (workload) {
    case NcuWorkload::kernel:
      return kKernelFields;
    case NcuWorkload::range:
      return kRangeFields;
    case NcuWorkload::cmdlist:
      return kCmdlistFields;
    case NcuWorkload::graph:
      return kGraphFields;
  }
  return kKernelFields;
}

/// How many messages of each kind follow a block header, in this order.
struct Counts {
  std::uint64_t sources = 0;
  std::array<std::uint64_t, 4> results{};  // by NcuWorkload
};

struct ProfiledProcess {
  std::uint64_t id = 0;
  std::string host;
  std::string name;
};

std::array<std::uint64_t, 3> decode_dim3(std::string_view message) {
  std::array<std::uint64_t, 3> dim{};
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (1 <= field->number && field->number <= 3) dim[field->number - 1] = field->integer();
  }
  return dim;
}

class RepDecoder {
 public:
  void add_block(const RepBlock& block);
  NcuReport finish() && {
    count_half_moves(report_);
    return std::move(report_);
  }

 private:
  Counts read_header(std::string_view header);
  void read_strings(std::string_view table);
  void read_process(std::string_view message);
  void add_launch(std::string_view message, NcuWorkload workload);
  void read_result_field(const WireField& field, const ResultFields& fields, NcuLaunch& launch);
  std::size_t add_section(std::string_view message);
  static void name_from_metrics(NcuLaunch& launch);

  NcuReport report_;
  // Names are numbered through the whole file: each block's table continues the last one's.
  std::vector<std::string> names_;
  // Every launch carries its sections again, byte for byte the same.
  std::unordered_map<std::string_view, std::size_t> sections_;
  std::unordered_map<std::uint64_t, std::size_t> modules_;  // by the file's number
  ProfiledProcess process_;
};

void RepDecoder::add_block(const RepBlock& block) {
  const Counts counts = read_header(block.header);
  std::size_t next = std::min<std::uint64_t>(counts.sources, block.messages.size());
  for (std::size_t i = 0; i < next; ++i) {
    NcuModule module;
    // Processes count for themselves: a launch means the last module of its number before it. A
    // module is told with its code once, and then without.
    const auto number = decode_module(block.messages[i], module, report_.diagnostics);
    if (module.cubin.empty() && modules_.contains(number)) continue;
    modules_[number] = report_.modules.size();
    report_.modules.push_back(std::move(module));
  }
  for (std::size_t kind = 0; kind < counts.results.size(); ++kind) {
    for (std::uint64_t i = 0; i < counts.results[kind] && next < block.messages.size(); ++i) {
      add_launch(block.messages[next++], static_cast<NcuWorkload>(kind));
    }
  }
  if (next < block.messages.size()) {
    report_.diagnostics.add("unknown_message", "a message its block header does not announce",
                            block.messages.size() - next);
  }
}

Counts RepDecoder::read_header(std::string_view header) {
  Counts counts;
  WireReader reader(header);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        counts.sources = field->integer();
        break;
      case 2:
        counts.results[0] = field->integer();
        break;
      case 3:
        decode_session(field->bytes(), report_.session, report_.diagnostics);
        break;
      case 4:
        read_strings(field->bytes());
        break;
      case 6:
        read_process(field->bytes());
        break;
      case 7:
        counts.results[1] = field->integer();
        break;
      case 8:
        counts.results[2] = field->integer();
        break;
      case 9:
        counts.results[3] = field->integer();
        break;
      default:
        break;
    }
  }
  return counts;
}

void RepDecoder::read_strings(std::string_view table) {
  WireReader reader(table);
  while (const auto field = reader.next()) {
    if (field->number == 1) names_.emplace_back(field->bytes());
  }
  if (reader.malformed()) report_.diagnostics.add("malformed_string_table", "names of metrics");
}

void RepDecoder::read_process(std::string_view message) {
  process_ = {};
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) process_.id = field->integer();
    if (field->number == 2) process_.host = field->bytes();
    if (field->number == 3) process_.name = field->bytes();
  }
}

void RepDecoder::add_launch(std::string_view message, NcuWorkload workload) {
  NcuLaunch launch{.id = report_.launches.size(),
                   .workload = workload,
                   .process_id = process_.id,
                   .process_name = process_.name,
                   .host_name = process_.host};
  const ResultFields& fields = fields_of(workload);
  WireReader reader(message);
  while (const auto field = reader.next()) read_result_field(*field, fields, launch);
  if (reader.malformed()) {
    report_.diagnostics.add("malformed_result", fmt::format("launch {}", launch.id));
  }
  launch.sort_metrics();
  name_from_metrics(launch);
  report_.launches.push_back(std::move(launch));
}

void RepDecoder::read_result_field(const WireField& field, const ResultFields& fields,
                                   NcuLaunch& launch) {
  const std::uint32_t number = field.number;
  Diagnostics& diagnostics = report_.diagnostics;
  if (number == fields.metrics) {
    decode_metric(field.bytes(), names_, launch.metrics, diagnostics);
  } else if (number == fields.sections) {
    launch.sections.push_back(add_section(field.bytes()));
  } else if (number == fields.rules) {
    launch.rules.push_back(decode_rule(field.bytes(), diagnostics));
  } else if (number == fields.nvtx) {
    launch.nvtx = decode_nvtx(field.bytes(), diagnostics);
  } else if (number == fields.mangled) {
    launch.mangled = field.bytes();
  } else if (number == fields.function) {
    launch.function = field.bytes();
  } else if (number == fields.name) {
    launch.name = field.bytes();
  } else if (number == fields.grid) {
    launch.grid = decode_dim3(field.bytes());
  } else if (number == fields.block) {
    launch.block = decode_dim3(field.bytes());
  } else if (number == fields.created) {
    launch.created_unix_s = static_cast<std::int64_t>(field.integer());
  } else if (number == fields.context) {
    launch.context = field.integer();
  } else if (number == fields.stream) {
    launch.stream = field.integer();
  } else if (number == fields.module) {
    NcuModule unused;
    const auto found = modules_.find(decode_module(field.bytes(), unused, diagnostics));
    if (found != modules_.end()) launch.module = found->second;
  }
}

std::size_t RepDecoder::add_section(std::string_view message) {
  const auto [entry, is_new] = sections_.try_emplace(message, report_.sections.size());
  if (is_new) report_.sections.push_back(decode_section(message, report_.diagnostics));
  return entry->second;
}

void RepDecoder::name_from_metrics(NcuLaunch& launch) {
  // Kernels of closed libraries have no demangled name.
  if (launch.name.empty()) launch.name = launch.function.empty() ? launch.mangled : launch.function;
  if (launch.name.empty()) launch.name = to_string(launch.workload);
  if (launch.function.empty()) launch.function = launch.name;
  const auto major = launch.number("device__attribute_compute_capability_major");
  const auto minor = launch.number("device__attribute_compute_capability_minor");
  if (major && minor) launch.compute_capability = fmt::format("{:.0f}.{:.0f}", *major, *minor);
  const auto device = launch.number("launch__device_id");
  if (device && *device >= 0) launch.device = static_cast<std::uint64_t>(*device);
}

}  // namespace

Result<NcuReport> parse_ncu_rep(std::string_view bytes) {
  ASSAY_TRY(const std::vector<RepBlock> blocks, split_rep(bytes));
  RepDecoder decoder;
  for (const RepBlock& block : blocks) decoder.add_block(block);
  return std::move(decoder).finish();
}

}  // namespace assay::trace
