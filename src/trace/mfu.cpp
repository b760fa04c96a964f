#include "trace/mfu.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/device_peaks.hpp"
#include "trace/model_flops.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::unexpected<Error> bad_stage(std::string message) {
  return fail(ErrorCode::invalid_argument, "stage: " + std::move(message));
}

Result<double> parse_number(std::string_view key, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) {
    return bad_stage(fmt::format("{}={} is not a positive number", key, text));
  }
  return value;
}

Result<double> parse_time(std::string_view text) {
  using Unit = std::pair<std::string_view, double>;
  for (const auto& [suffix, ns] :
       {Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}}) {
    if (!text.ends_with(suffix)) continue;
    ASSAY_TRY(const double value,
              parse_number("time", text.substr(0, text.size() - suffix.size())));
    return value * ns;
  }
  return bad_stage(fmt::format("time={} has no unit: ns, us, ms or s", text));
}

Result<void> set_option(MfuStage& stage, std::optional<double>& tokens_per_s, std::string_view key,
                        std::string_view value) {
  if (key == "name") {
    stage.name = value;
    return {};
  }
  if (key == "range") {
    stage.range = value;
    stage.name = value;
    return {};
  }
  if (key == "attention") {
    if (value != "causal" && value != "full") return bad_stage("attention is causal or full");
    stage.shape.attention = value == "full" ? AttentionCount::full : AttentionCount::causal;
    return {};
  }
  if (key == "time") {
    ASSAY_TRY(stage.time_ns, parse_time(value));
    return {};
  }
  ASSAY_TRY(const double number, parse_number(key, value));
  if (key == "batch") {
    stage.shape.batch = number;
  } else if (key == "tokens") {
    stage.shape.tokens = number;
  } else if (key == "new") {
    stage.shape.new_tokens = number;
  } else if (key == "repeats") {
    stage.shape.repeats = number;
  } else if (key == "tokens_per_s") {
    tokens_per_s = number;
  } else if (key == "flop") {
    stage.shape.flop = number;
  } else {
    return bad_stage(fmt::format("there is no '{}'", key));
  }
  return {};
}

Result<void> check_tokens(const StageShape& shape) {
  if (shape.kind == StageKind::decode && shape.new_tokens == 0) {
    return bad_stage("decode needs new=, the tokens generated per sequence");
  }
  if ((shape.kind == StageKind::counted) != (shape.flop > 0)) {
    return bad_stage("flop= goes with counted, the work of one run");
  }
  if (shape.kind == StageKind::counted) return {};
  if (shape.kind != StageKind::decode && shape.tokens == 0) {
    return bad_stage(fmt::format("{} needs tokens=, per sequence", to_string(shape.kind)));
  }
  return {};
}

/// The peaks of one device, and where they come from.
struct Peaks {
  double datasheet = 0;
  std::optional<double> at_clock;
  std::string name;
  std::string source;
};

Result<Peaks> find_peaks(const MfuPeak& wanted) {
  if (wanted.flop_per_s) {
    return Peaks{.datasheet = *wanted.flop_per_s, .name = "given", .source = "given"};
  }
  const DeviceSpec* device = find_device(wanted.device);
  if (device == nullptr) {
    return fail(
        ErrorCode::not_found,
        fmt::format("no figures for a device '{}': give its dense peak with --peak-tflops, or a "
                    "device that is known with --device (see --list-devices)",
                    wanted.device));
  }
  const auto datasheet = device->datasheet_peak(wanted.type);
  if (!datasheet) {
    return fail(ErrorCode::not_found,
                fmt::format("no {} peak is known for {}: give it with --peak-tflops, or another "
                            "format with --dtype",
                            to_string(wanted.type), device->name));
  }
  Peaks peaks{.datasheet = *datasheet,
              .name = std::string(device->name),
              .source = std::string(device->source)};
  if (wanted.clock_hz) peaks.at_clock = device->peak_at(wanted.type, *wanted.clock_hz);
  return peaks;
}

void add_peak_facts(Report& report, const MfuPeak& wanted, const Peaks& peaks) {
  report.facts.emplace_back("device", "Device", peaks.name);
  report.facts.emplace_back("devices", "Devices", wanted.devices, ColumnType::real);
  report.facts.emplace_back("math_type", "Number format", to_string(wanted.type));
  report.facts.emplace_back("peak_flop_per_s", "Dense peak of one device", peaks.datasheet,
                            ColumnType::flop_per_second);
  report.facts.emplace_back("peak_source", "Source", peaks.source);
  if (peaks.at_clock) {
    report.facts.emplace_back("clock_hz", "Clock actually run", wanted.clock_hz, ColumnType::hertz);
    report.facts.emplace_back("peak_at_clock_flop_per_s", "Dense peak at that clock",
                              peaks.at_clock, ColumnType::flop_per_second);
  }
}

Table mfu_table() {
  return {.name = "mfu",
          .title = "Model FLOP utilisation",
          .columns = {{"stage", "Stage"},
                      {"kind", "Kind"},
                      {"tokens", "Tokens", ColumnType::real},
                      {"time_ns", "Time", ColumnType::duration},
                      {"tokens_per_s", "Tokens/s", ColumnType::real},
                      {"model_flop", "Model work", ColumnType::flop},
                      {"achieved_flop_per_s", "Achieved", ColumnType::flop_per_second},
                      {"mfu_pct", "MFU", ColumnType::percent},
                      {"mfu_at_clock_pct", "MFU at clock", ColumnType::percent}}};
}

Table term_table() {
  return {.name = "flop_terms",
          .title = "How the work was counted",
          .columns = {{"stage", "Stage"},
                      {"term", "Term"},
                      {"formula", "Formula"},
                      {"numbers", "With numbers"},
                      {"flop", "FLOP", ColumnType::flop},
                      {"share_pct", "Share", ColumnType::percent}},
          .notes = {"L layers, d hidden size, H heads, KV key-value heads, hd head dimension, f "
                    "feed-forward width, E experts, k active experts, V vocabulary, S tokens of a "
                    "sequence, P tokens before the first new one, N new tokens.",
                    "A multiply-add counts as two. Norms, softmax, activations and embeddings are "
                    "not matrix products and are left out."}};
}

void add_stage(Report& report, const ModelShape& model, const MfuStage& stage, const MfuPeak& peak,
               const Peaks& peaks) {
  const StageFlops flops = count_flops(model, stage.shape);
  const double seconds = stage.time_ns * 1e-9;
  const double achieved = flops.total / seconds;
  const double per_device = achieved / peak.devices;
  std::optional<double> at_clock;
  if (peaks.at_clock) at_clock = 100 * per_device / *peaks.at_clock;
  std::optional<double> tokens;
  std::optional<double> tokens_per_second;
  if (flops.tokens > 0) {
    tokens = flops.tokens;
    tokens_per_second = flops.tokens / seconds;
  }
  report.tables[0].add_row({stage.name, to_string(stage.shape.kind), tokens, stage.time_ns,
                            tokens_per_second, flops.total, achieved,
                            100 * per_device / peaks.datasheet, at_clock});
  for (const FlopTerm& term : flops.terms) {
    report.tables[1].add_row({stage.name, term.name, term.formula, term.numbers, term.flop,
                              100 * term.flop / flops.total});
  }
  if (per_device > peaks.datasheet) {
    report.findings.push_back(
        {.kind = FindingKind::error,
         .name = "above_peak",
         .title = "More than the device can do",
         .message = "The utilisation is above 100 %: the time, the shape, the number of devices or "
                    "the number format given is wrong.",
         .subject = stage.name});
  }
}

}  // namespace

Result<MfuStage> parse_mfu_stage(std::string_view text, const ModelShape& model) {
  const std::string_view kind = text.substr(0, text.find(':'));
  MfuStage stage{.name = std::string(kind)};
  ASSAY_TRY(stage.shape.kind, parse_stage_kind(kind));
  text.remove_prefix(std::min(text.size(), kind.size() + 1));
  std::optional<double> tokens_per_s;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return bad_stage(fmt::format("'{}' is not key=value", item));
    }
    const auto set =
        set_option(stage, tokens_per_s, item.substr(0, equals), item.substr(equals + 1));
    if (!set) return std::unexpected(set.error());
  }
  const auto complete = check_tokens(stage.shape);
  if (!complete) return std::unexpected(complete.error());
  if (tokens_per_s && stage.shape.kind == StageKind::counted && stage.shape.tokens == 0) {
    return bad_stage("tokens_per_s= needs tokens=, those of one run");
  }
  if (tokens_per_s) stage.time_ns = count_flops(model, stage.shape).tokens / *tokens_per_s * 1e9;
  return stage;
}

Result<Report> model_mfu(const ModelShape& model, const std::vector<MfuStage>& stages,
                         const MfuPeak& peak) {
  ASSAY_TRY(const Peaks peaks, find_peaks(peak));
  Report report{.title = "Model FLOP utilisation", .tables = {mfu_table(), term_table()}};
  add_peak_facts(report, peak, peaks);
  for (const MfuStage& stage : stages) {
    if (!(stage.time_ns > 0)) return bad_stage(fmt::format("{} has no time", stage.name));
    add_stage(report, model, stage, peak, peaks);
  }
  return report;
}

}  // namespace assay::trace
