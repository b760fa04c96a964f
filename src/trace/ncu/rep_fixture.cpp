#include "trace/ncu/rep_fixture.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace::testing {
namespace {

std::string little_endian(std::size_t value) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return out;
}

WireWriter encode_value(const Cell& cell) {
  WireWriter out;
  if (const auto* text = std::get_if<std::string>(&cell.value())) out.bytes(1, *text);
  if (const auto* real = std::get_if<double>(&cell.value())) out.real(3, *real);
  if (const auto* integer = std::get_if<std::int64_t>(&cell.value())) {
    out.integer(5, static_cast<std::uint64_t>(*integer));
  }
  if (const auto* large = std::get_if<std::uint64_t>(&cell.value())) out.integer(5, *large);
  return out;
}

WireWriter encode_metric(const NcuMetric& metric, std::size_t name) {
  WireWriter out;
  out.integer(1, name);
  if (!metric.value.absent()) out.message(2, encode_value(metric.value));
  for (const NcuInstance& instance : metric.instances) {
    WireWriter element;
    element.message(1, encode_value(instance.correlation_id));
    element.message(2, encode_value(instance.value));
    out.message(3, element);
  }
  return out;
}

WireWriter encode_section_metric(const NcuSectionMetric& metric) {
  return WireWriter().bytes(1, metric.name).bytes(2, metric.label);
}

WireWriter encode_section(const NcuSection& section) {
  WireWriter out;
  out.bytes(1, section.id).bytes(2, section.name).integer(3, section.order);
  WireWriter header;
  for (const NcuSectionMetric& metric : section.header) {
    header.message(2, encode_section_metric(metric));
  }
  // The body: a table inside a container, which is as deep as real ones go.
  WireWriter table;
  table.bytes(1, "a table").integer(3, 2);
  for (const NcuSectionMetric& metric : section.body) {
    table.message(5, encode_section_metric(metric));
  }
  const auto item = WireWriter().message(1, table);
  const auto container = WireWriter().message(1, item);
  const auto outer = WireWriter().message(5, container);
  out.message(4, header).message(5, WireWriter().message(1, outer)).bytes(7, section.description);
  for (const std::string& set : section.sets) out.message(8, WireWriter().bytes(1, set));
  return out;
}

WireWriter encode_rule(const NcuRule& rule) {
  WireWriter body;
  for (const NcuRuleMessage& message : rule.messages) {
    WireWriter encoded;
    encoded.bytes(1, message.text).integer(2, static_cast<std::uint64_t>(message.kind));
    if (!message.title.empty()) encoded.bytes(4, message.title);
    body.message(1, WireWriter().message(1, encoded));
    if (message.speedup) {
      WireWriter speedup;
      speedup.integer(1, static_cast<std::uint64_t>(message.speedup->scope));
      speedup.real(2, message.speedup->percent);
      body.message(1, WireWriter().message(10, speedup));
    }
  }
  for (const NcuFocusMetric& focus : rule.focus) {
    const auto encoded =
        WireWriter().bytes(2, focus.name).real(3, focus.value).bytes(5, focus.info);
    body.message(1, WireWriter().message(8, encoded));
  }
  return WireWriter()
      .bytes(1, rule.id)
      .bytes(2, rule.name)
      .message(3, body)
      .bytes(4, rule.section_id);
}

WireWriter encode_nvtx(const std::vector<NcuNvtxRange>& ranges) {
  // Every range gets a domain of its own, so that any mixture of domains can be written.
  WireWriter out;
  for (std::size_t id = 0; id < ranges.size(); ++id) {
    const NcuNvtxRange& range = ranges[id];
    const std::string domain = range.domain.empty() ? "<default domain>" : range.domain;
    out.message(1, WireWriter().integer(1, id).bytes(2, domain));
    if (range.kind == NcuNvtxRange::Kind::push_pop) {
      const auto stack = WireWriter().integer(1, id).message(3, WireWriter().bytes(1, range.name));
      out.message(2, WireWriter().integer(1, range.thread).message(2, stack));
    } else {
      const auto entry = WireWriter().integer(1, 7).bytes(2, range.name).integer(5, range.thread);
      out.message(3, WireWriter().integer(1, id).message(3, entry));
    }
  }
  return out;
}

WireWriter encode_dim3(const std::array<std::uint64_t, 3>& dim) {
  return WireWriter().integer(1, dim[0]).integer(2, dim[1]).integer(3, dim[2]);
}

WireWriter encode_module(const NcuModule& module, std::size_t number) {
  WireWriter files;
  for (const NcuSourceFile& file : module.files) {
    files.message(1, WireWriter().bytes(1, file.name).bytes(2, file.content));
  }
  WireWriter functions;
  for (const NcuFunctionAddress& function : module.functions) {
    functions.message(1, WireWriter().bytes(1, function.name).integer(2, function.address));
  }
  return WireWriter()
      .integer(1, number)
      .bytes(4, module.cubin)
      .message(8, files)
      .message(9, functions);
}

WireWriter encode_system(const NcuSystem& system) {
  return WireWriter()
      .bytes(1, system.os)
      .bytes(2, system.build)
      .bytes(3, system.processor)
      .bytes(4, system.architecture)
      .bytes(5, system.name);
}

WireWriter encode_session(const NcuSession& session) {
  WireWriter out;
  if (session.created_unix_s) {
    out.integer(2, static_cast<std::uint64_t>(*session.created_unix_s));
  }
  out.message(3, encode_system(session.host)).message(4, encode_system(session.target));
  for (const NcuDevice& device : session.devices) {
    WireWriter encoded;
    encoded.integer(1, device.id).bytes(2, device.name);
    for (const NcuMetric& attribute : device.attributes) {
      encoded.message(
          3, WireWriter().bytes(1, attribute.name).message(2, encode_value(attribute.value)));
    }
    out.message(6, encoded);
  }
  for (const NcuVersion& version : session.versions) {
    out.message(8, WireWriter().bytes(1, version.provider).bytes(2, version.version));
  }
  return out.bytes(11, session.command_line);
}

}  // namespace

WireWriter& WireWriter::integer(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3U);
  varint(value);
  return *this;
}

WireWriter& WireWriter::real(std::uint32_t field, double value) {
  varint((std::uint64_t{field} << 3U) | 1U);
  fixed(std::bit_cast<std::uint64_t>(value), 8);
  return *this;
}

WireWriter& WireWriter::single(std::uint32_t field, float value) {
  varint((std::uint64_t{field} << 3U) | 5U);
  fixed(std::bit_cast<std::uint32_t>(value), 4);
  return *this;
}

WireWriter& WireWriter::bytes(std::uint32_t field, std::string_view value) {
  varint((std::uint64_t{field} << 3U) | 2U);
  varint(value.size());
  out_ += value;
  return *this;
}

void WireWriter::varint(std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) out_ += static_cast<char>((value & 0x7FU) | 0x80U);
  out_ += static_cast<char>(value);
}

void WireWriter::fixed(std::uint64_t bits, int size) {
  for (int i = 0; i < size; ++i) out_ += static_cast<char>((bits >> (8 * i)) & 0xFFU);
}

std::string rep_start() {
  const std::string header = WireWriter().integer(1, 7).text();
  return std::string("NVR\0", 4) + little_endian(header.size()) + header;
}

std::string rep_block(const WireWriter& header, const std::vector<std::string>& messages) {
  std::string payload;
  for (const std::string& message : messages) payload += little_endian(message.size()) + message;
  const std::string whole = WireWriter(header).integer(5, payload.size()).text();
  return little_endian(whole.size()) + whole + payload;
}

std::string encode_launch(const NcuLaunch& launch, const std::vector<NcuSection>& sections,
                          std::vector<std::string>& names) {
  WireWriter out;
  out.bytes(5, launch.mangled).bytes(6, launch.function).bytes(7, launch.name);
  if (launch.grid) out.message(10, encode_dim3(*launch.grid));
  if (launch.block) out.message(11, encode_dim3(*launch.block));
  for (const NcuMetric& metric : launch.metrics) {
    out.message(13, encode_metric(metric, names.size()));
    names.push_back(metric.name);
  }
  if (launch.created_unix_s) {
    out.integer(14, static_cast<std::uint64_t>(*launch.created_unix_s));
  }
  if (launch.module) out.message(15, WireWriter().integer(1, *launch.module));
  for (const std::size_t index : launch.sections) out.message(17, encode_section(sections[index]));
  for (const NcuRule& rule : launch.rules) out.message(19, encode_rule(rule));
  if (!launch.nvtx.empty()) out.message(21, encode_nvtx(launch.nvtx));
  if (launch.context) out.integer(22, *launch.context);
  if (launch.stream) out.integer(23, *launch.stream);
  return out.text();
}

std::string write_ncu_rep(const NcuReport& report) {
  std::string out = rep_start();
  out += rep_block(WireWriter().message(3, encode_session(report.session)), {});
  for (std::size_t i = 0; i < report.modules.size(); ++i) {
    out += rep_block(WireWriter().integer(1, 1), {encode_module(report.modules[i], i).text()});
  }
  std::size_t names_before = 0;
  std::vector<std::string> names;
  for (const NcuLaunch& launch : report.launches) {
    const std::string message = encode_launch(launch, report.sections, names);
    WireWriter strings;
    for (; names_before < names.size(); ++names_before) strings.bytes(1, names[names_before]);
    WireWriter header;
    header.integer(2, 1).message(4, strings);
    header.message(6, WireWriter()
                          .integer(1, launch.process_id)
                          .bytes(2, launch.host_name)
                          .bytes(3, launch.process_name));
    out += rep_block(header, {message});
  }
  return out;
}

}  // namespace assay::trace::testing
