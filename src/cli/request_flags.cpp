#include "cli/request_flags.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

using wire::Value;

constexpr std::size_t kMaxFile = std::size_t{64} << 20U;

Result<Value> read_json(const std::filesystem::path& path) {
  ASSAY_TRY(const std::string text, read_file(path, kMaxFile));
  auto value = Value::parse(text);
  if (!value) return fail(ErrorCode::invalid_argument, path.string() + " is not JSON");
  return value;
}

Result<std::string> kernel_type(const RequestFlags& flags, const std::filesystem::path& source,
                                std::string_view in_request) {
  if (flags.type) return *flags.type;
  if (source.extension() == ".cu") return "cuda";
  const bool is_python = source.extension() == ".py";
  if (!in_request.empty() && !(is_python && in_request == "cuda")) return std::string(in_request);
  if (is_python) return "torch";
  return fail(ErrorCode::invalid_argument,
              fmt::format("{}: say what it is with --type", source.string()));
}

/// Flags given beside a request file win over what it says.
void set(Value::Members& members, std::string_view key, Value value) {
  for (auto& [name, held] : members) {
    if (name != key) continue;
    held = std::move(value);
    return;
  }
  members.emplace_back(key, std::move(value));
}

template <class T>
void set_if(Value::Members& members, std::string_view key, const std::optional<T>& value) {
  if (value) set(members, key, Value(*value));
}

/// As the number it is; what is no number goes as it stands, for the server to take or refuse.
Value trials_value(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  return text;
}

void set_timing(Value::Members& body, const RequestFlags& flags) {
  if (flags.num_trials) set(body, "num_trials", trials_value(*flags.num_trials));
  if (!flags.timing_mode && !flags.threshold) return;
  Value::Members timing;
  for (const auto& [key, value] : body) {
    if (key == "timing") timing = value.members();
  }
  set_if(timing, "mode", flags.timing_mode);
  set_if(timing, "threshold", flags.threshold);
  set(body, "timing", std::move(timing));
}

/// A kernel of the request, or null, under what the flags say of it.
Result<Value> kernel_value(const RequestFlags& flags,
                           const std::optional<std::filesystem::path>& source,
                           const Value& in_request) {
  Value::Members kernel = in_request.members();
  set_if(kernel, "kernel_type", flags.type);
  if (source) {
    ASSAY_TRY(const std::string text, read_file(*source, kMaxFile));
    ASSAY_TRY(const std::string type,
              kernel_type(flags, *source, in_request["kernel_type"].text()));
    set(kernel, "source_code", text);
    set(kernel, "kernel_type", type);
  }
  if (flags.io) {
    ASSAY_TRY(Value io, read_json(*flags.io));
    set(kernel, "io", std::move(io));
  }
  if (flags.kernel_name) {
    Value::Members metadata = in_request["metadata"].members();
    set(metadata, "kernel_name", *flags.kernel_name);
    set(kernel, "metadata", std::move(metadata));
  }
  return Value(std::move(kernel));
}

bool has_any(const Value::Members& body, std::span<const std::string_view> names) {
  return std::ranges::find_first_of(body, names, {}, &Value::Member::first) != body.end();
}

/// Changes the kernel that the request has under one of the names, or adds it under the first.
Result<void> set_kernel(Value::Members& body, std::span<const std::string_view> names,
                        const RequestFlags& flags,
                        const std::optional<std::filesystem::path>& source) {
  const auto held = std::ranges::find_first_of(body, names, {}, &Value::Member::first);
  if (held == body.end() && !source) return {};
  ASSAY_TRY(Value kernel, kernel_value(flags, source, held == body.end() ? Value() : held->second));
  set(body, held == body.end() ? names.front() : std::string_view(held->first), std::move(kernel));
  return {};
}

}  // namespace

void add_request_flags(CLI::App& command, RequestFlags& flags, bool with_reference) {
  command
      .add_option("REQUEST", flags.request, "A whole request as JSON, as POST /v1/jobs takes it")
      ->check(CLI::ExistingFile);
  if (with_reference) {
    command.add_option("--reference,-r", flags.reference, "Source of the reference kernel")
        ->check(CLI::ExistingFile);
  }
  command.add_option("--candidate,-c", flags.candidate, "Source of the kernel to judge")
      ->check(CLI::ExistingFile);
  command.add_option("--io", flags.io, "The contract: arguments and launch, as JSON")
      ->check(CLI::ExistingFile);
  command.add_option("--type", flags.type,
                     "torch, torch_cuda, triton, cuda or multi_kernel (default: by file ending)");
  command.add_option("--kernel-name", flags.kernel_name, "Which kernel of the source to launch");
  command.add_option("--trials", flags.num_trials, "Timed runs, or auto: until the speed is sure");
  command.add_option("--timing-mode", flags.timing_mode,
                     "What a timed call finds in a GPU's cache: cold, warm or graph");
  command.add_option("--threshold", flags.threshold,
                     "Times that differ by less are called the same (0.02)");
  command.add_option("--timeout", flags.timeout, "Seconds the work may take");
  command.add_option("--rounds", flags.rounds, "Rounds of fresh inputs");
  command.add_option("--atol", flags.atol, "Absolute tolerance");
  command.add_option("--rtol", flags.rtol, "Relative tolerance");
  command.add_option("--seed", flags.seed,
                     "Seed of all inputs, to repeat a run: its provenance.seed, or a number");
  command.add_option("--device", flags.device, "Run on this device only");
  command.add_option("--sanitize", flags.sanitize, "Also look for: memory, race, init, sync")
      ->delimiter(',');
}

Result<std::string> request_body(const RequestFlags& flags, bool with_reference) {
  Value::Members body;
  if (flags.request) {
    ASSAY_TRY(const Value request, read_json(*flags.request));
    body = request.members();
  } else if (!flags.candidate) {
    return fail(ErrorCode::invalid_argument, "give a REQUEST file, or --candidate with --io");
  }
  constexpr std::array<std::string_view, 2> kReferences = {"reference", "ref_kernel"};
  constexpr std::array<std::string_view, 3> kCandidates = {"candidate", "kernel", "custom_kernel"};
  if (auto done = set_kernel(body, kReferences, flags, flags.reference); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto done = set_kernel(body, kCandidates, flags, flags.candidate); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (with_reference && !has_any(body, kReferences)) {
    return fail(ErrorCode::invalid_argument,
                "there is nothing to compare with: give --reference, or a REQUEST that has one");
  }
  set_timing(body, flags);
  set_if(body, "timeout", flags.timeout);
  set_if(body, "rounds", flags.rounds);
  set_if(body, "atol", flags.atol);
  set_if(body, "rtol", flags.rtol);
  set_if(body, "seed", flags.seed);
  set_if(body, "device", flags.device);
  if (!flags.sanitize.empty()) {
    set(body, "sanitize", Value::Elements(flags.sanitize.begin(), flags.sanitize.end()));
  }
  return Value(std::move(body)).dump();
}

}  // namespace assay::cli
