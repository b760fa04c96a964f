#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/diagnostics.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A value of a metric at one place: a source line, an instruction, a sampling time.
struct NcuInstance {
  Cell correlation_id;
  Cell value;
};

struct NcuMetric {
  std::string name;  // the tool's: `dram__bytes.sum.per_second`
  std::string unit;  // the base unit: "ns", "byte", "byte/s", "Hz", "%"…; empty: none or unknown
  Cell value;        // absent where the tool has "n/a"
  std::vector<NcuInstance> instances;
};

struct NcuSectionMetric {
  std::string name;
  std::string label;
};

/// A group of metrics under labels for people, as the tool shows it.
struct NcuSection {
  std::string id;    // "SpeedOfLight"
  std::string name;  // "GPU Speed Of Light Throughput"
  std::string description;
  std::uint64_t order = 0;
  std::vector<std::string> sets;
  std::vector<NcuSectionMetric> header;
  std::vector<NcuSectionMetric> body;  // of its tables and charts, without those of the header
};

enum class NcuRuleKind : std::uint8_t { none, ok, warning, error, optimization };

/// What following the rule's advice could gain at most, by the tool's estimate.
struct NcuSpeedup {
  enum class Scope : std::uint8_t { unknown, local, global };
  Scope scope = Scope::unknown;
  double percent = 0;
};

struct NcuRuleMessage {
  NcuRuleKind kind = NcuRuleKind::none;
  std::string title;
  std::string text;
  std::optional<NcuSpeedup> speedup;
};

struct NcuFocusMetric {
  std::string name;
  double value = 0;
  std::string info;
};

/// What one of the tool's rules concluded. A rule that found nothing has no messages.
struct NcuRule {
  std::string id;
  std::string name;
  std::string section_id;
  std::vector<NcuRuleMessage> messages;
  std::vector<NcuFocusMetric> focus;
};

/// A range that was open when the workload was launched, outermost first within its thread.
struct NcuNvtxRange {
  enum class Kind : std::uint8_t { push_pop, start_end };
  Kind kind = Kind::push_pop;
  std::string domain;  // empty: the default domain
  std::string name;
  std::uint64_t thread = 0;
};

enum class NcuWorkload : std::uint8_t { kernel, range, cmdlist, graph };

[[nodiscard]] std::string_view to_string(NcuWorkload workload);

/// One profiled workload; usually a kernel launch.
struct NcuLaunch {
  std::uint64_t id = 0;  // the tool's, counted from 0 in the order of the report
  NcuWorkload workload = NcuWorkload::kernel;
  std::string name;      // demangled
  std::string function;  // without template arguments and parameters
  std::string mangled;
  std::optional<std::array<std::uint64_t, 3>> grid;
  std::optional<std::array<std::uint64_t, 3>> block;
  std::uint64_t process_id = 0;
  std::string process_name;
  std::string host_name;
  std::optional<std::uint64_t> context;
  std::optional<std::uint64_t> stream;
  std::uint64_t device = 0;
  std::optional<std::size_t> module;           // index into NcuReport::modules
  std::string compute_capability;              // "9.0"
  std::optional<std::int64_t> created_unix_s;  // seconds
  std::vector<NcuNvtxRange> nvtx;
  std::vector<std::size_t> sections;  // indices into NcuReport::sections
  std::vector<NcuRule> rules;
  std::vector<NcuMetric> metrics;  // sorted by name once read
  /// How many HFMA2 threads executed just to move a constant. They multiply nothing, but the
  /// metrics count them as work. Nothing: the report has no code to tell.
  std::optional<double> half_moves;

  [[nodiscard]] const NcuMetric* find(std::string_view metric) const;
  /// The metric's value if it is there and a finite number.
  [[nodiscard]] std::optional<double> number(std::string_view metric) const;
  /// The metric's value if it is there and text.
  [[nodiscard]] std::string_view text(std::string_view metric) const;
  /// Makes `find` work. A metric that two collectors recorded alike is kept once.
  void sort_metrics();
};

struct NcuDevice {
  std::uint64_t id = 0;
  std::string name;
  std::vector<NcuMetric> attributes;
};

/// A file that a kernel was compiled from.
struct NcuSourceFile {
  std::string name;
  std::string content;  // empty: not in the report
};

/// A function of a module, and where it was loaded.
struct NcuFunctionAddress {
  std::string name;  // mangled
  std::uint64_t address = 0;
};

/// The machine code that launches ran, as the report keeps it.
struct NcuModule {
  std::string cubin;  // an ELF file; empty: not in the report
  std::vector<NcuSourceFile> files;
  std::vector<NcuFunctionAddress> functions;
};

struct NcuVersion {
  std::string provider;
  std::string version;
};

struct NcuSystem {
  std::string os;
  std::string build;
  std::string processor;
  std::string architecture;
  std::string name;
};

/// How the report was made, as far as its file tells.
struct NcuSession {
  std::optional<std::int64_t> created_unix_s;
  std::string command_line;
  NcuSystem host;
  NcuSystem target;
  std::vector<NcuVersion> versions;
  std::vector<NcuDevice> devices;
};

/// A report from any kind of file. What the file cannot say is empty: CSV pages have no session.
struct NcuReport {
  enum class Source : std::uint8_t { rep, raw_page, details_page };
  Source source = Source::rep;
  NcuSession session;
  std::vector<NcuSection> sections;
  std::vector<NcuLaunch> launches;
  std::vector<NcuModule> modules;
  Diagnostics diagnostics;

  [[nodiscard]] const NcuSection* find_section(std::string_view id) const;
  /// The module that a launch ran; null where the report has none.
  [[nodiscard]] const NcuModule* module_of(const NcuLaunch& launch) const {
    return launch.module && *launch.module < modules.size() ? &modules[*launch.module] : nullptr;
  }
};

[[nodiscard]] std::string_view to_string(NcuReport::Source source);

}  // namespace assay::trace
