#include "cli/request_flags.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/heading.hpp"
#include "cli/suggestion.hpp"
#include "wire/request.hpp"

namespace assay::cli {

namespace {

std::string number_or_auto(const std::string& given) {
  int number = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
  const bool is_number = error == std::errc{} && end == given.data() + given.size();
  if (given == "auto" || (is_number && number >= 1 && number <= wire::kMaxTrials)) return "";
  return fmt::format("give a number from 1 to {} or auto, not '{}'", wire::kMaxTrials, given);
}

std::string not_negative(const std::string& given) {
  double number = -1;
  const bool is_number = CLI::detail::lexical_cast(given, number);
  if (is_number && number >= 0 && std::isfinite(number)) return "";
  return fmt::format("give 0 or a larger number, not '{}'", given);
}

/// As `provenance.seed` shows it, or a number of either sign that fits 64 bits.
std::string seed_text(const std::string& given) {
  constexpr std::size_t kHexDigits = 16;
  const auto consists_of = [](std::string_view text, std::string_view signs) {
    return !text.empty() && text.find_first_not_of(signs) == std::string_view::npos;
  };
  if (given.size() == kHexDigits && consists_of(given, "0123456789abcdefABCDEF")) return "";
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (error == std::errc{} && end == given.data() + given.size()) return "";
  return fmt::format("give a whole number, or the sixteen digits of provenance.seed, not '{}'",
                     given);
}

void add_source_flags(CLI::App& command, RequestFlags& flags, bool with_reference) {
  const CLI::Validator readable(
      [](const std::string& path) { return path == "-" ? std::string() : CLI::ExistingFile(path); },
      "FILE");
  const CLI::Validator type = one_of({"torch", "torch_cuda", "triton", "cuda", "multi_kernel"});
  const Heading heading(command, "What is judged");
  const auto add_file = [&](const std::string& names, std::optional<std::filesystem::path>& into,
                            const std::string& help) {
    command.add_option(names, into, help)->check(readable);
  };
  command
      .add_option("FILES", flags.files,
                  with_reference ? "REFERENCE and CANDIDATE, or one REQUEST as POST /v1/jobs takes "
                                   "it; - is standard input"
                                 : "The kernel, or a whole REQUEST as POST /v1/jobs takes it; - is "
                                   "standard input")
      ->check(readable)
      ->expected(0, with_reference ? 2 : 1);
  if (with_reference) {
    add_file("--reference,-r", flags.reference, "Source of the reference kernel");
    add_file("--ref-io", flags.ref_io,
             "Contract of the reference. Without it: that of --io, then NAME.io.json beside the "
             "reference, then the candidate's. Arguments of `forward` are found by name");
    command.add_option("--ref-type", flags.ref_type, "The same as --type, for the reference")
        ->check(type);
    command.add_option("--ref-kernel-name", flags.ref_kernel_name,
                       "The same as --kernel-name, for the reference");
  }
  add_file("--candidate,-c", flags.candidate,
           with_reference ? "Source of the kernel to judge" : "Source of the kernel");
  add_file("--io", flags.io,
           with_reference
               ? "Contract of the candidate: arguments and launch, as JSON (default: NAME.io.json "
                 "beside NAME.cu, else the reference's; `assay init NAME.cu` drafts one)"
               : "Contract of the kernel: arguments and launch, as JSON (default: NAME.io.json "
                 "beside NAME.cu; `assay init NAME.cu` drafts one)");
  command
      .add_option("--type", flags.type,
                  "torch, torch_cuda, triton, cuda or multi_kernel (default: by the file's "
                  "ending and content)")
      ->check(type);
  command.add_option(
      "--kernel-name", flags.kernel_name,
      "Which kernel of the source to launch; of a Python source, which function or class to call");
  command.add_option("--name", flags.name, "The job's name in lists (default: the file's name)");
}

/// How to hold a kernel against a reference; one that runs alone has none.
void add_strictness_flags(CLI::App& command, RequestFlags& flags) {
  command
      .add_option("--allow", flags.allow,
                  "Accept answers of a lower precision: tf32, float16, bfloat16, float8")
      ->delimiter(',')
      ->check(one_of({"tf32", "float16", "bfloat16", "float8"}));
  command.add_flag(
      "--strict", flags.strict,
      "Refuse the check if zeros or a copy of an input would pass it, or if weights do not match");
}

void add_judging_flags(CLI::App& command, RequestFlags& flags, bool with_reference) {
  const Heading heading(command, "How it is judged");
  command.add_option("--rounds", flags.rounds, "Rounds of fresh inputs (3)")
      ->check(CLI::Range(1, wire::kMaxRounds));
  const CLI::Validator tolerance(not_negative, "");
  command.add_option("--atol", flags.atol, "Absolute tolerance (default: measured)")
      ->check(tolerance);
  command.add_option("--rtol", flags.rtol, "Relative tolerance (default: measured)")
      ->check(tolerance);
  if (with_reference) add_strictness_flags(command, flags);
  command
      .add_option("--require", flags.require,
                  "own_kernels: refuse a candidate whose own kernels do no work (on GPUs)")
      ->delimiter(',')
      ->check(one_of({"own_kernels"}));
  command.add_option("--sanitize", flags.sanitize, "Also look for: memory, race, init, sync")
      ->delimiter(',')
      ->check(one_of({"memory", "race", "init", "sync"}));
  command
      .add_option("--seed", flags.seed,
                  "Seed of all inputs, to repeat a run: its provenance.seed, or a number")
      ->check(CLI::Validator(seed_text, ""));
  command.add_option("--device", flags.device, "Run on this device only");
  command.add_option("--timeout", flags.timeout, "Seconds the work may take (120)")
      ->check(CLI::Range(wire::kMinTimeoutSeconds, wire::kMaxTimeoutSeconds));
}

void add_timing_flags(CLI::App& command, RequestFlags& flags, bool with_reference) {
  const Heading heading(command, "How it is timed");
  command
      .add_option("--trials", flags.num_trials,
                  with_reference ? "Timed runs (100), or auto: until the speed is sure"
                                 : "Timed runs (100), or auto: until the time is sure")
      ->check(CLI::Validator(number_or_auto, "NUMBER|auto"));
  command
      .add_option(
          "--timing-mode", flags.timing_mode,
          "How a GPU is timed: cold (with an empty cache), warm, or graph (as a CUDA graph)")
      ->check(one_of({"cold", "warm", "graph"}));
  if (!with_reference) return;
  command
      .add_option("--threshold", flags.threshold,
                  "Times that differ by less are called the same (0.02)")
      ->check(CLI::Range(wire::kLeastThreshold, wire::kMostThreshold));
  command.add_flag(
      "--judge-speed", flags.judge_speed,
      "Judge the speed on the cpu device too, though its times say little about a GPU");
}

}  // namespace

void add_request_flags(CLI::App& command, RequestFlags& flags, bool with_reference) {
  add_source_flags(command, flags, with_reference);
  add_judging_flags(command, flags, with_reference);
  add_timing_flags(command, flags, with_reference);
}

}  // namespace assay::cli
