#include "cli/request_flags.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/heading.hpp"
#include "cli/suggestion.hpp"

namespace assay::cli {

namespace {

std::string number_or_auto(const std::string& given) {
  const bool is_number =
      !given.empty() && given.find_first_not_of("0123456789") == std::string::npos;
  return is_number || given == "auto" ? "" : "give a number or auto, not '" + given + "'";
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
    add_file(
        "--ref-io", flags.ref_io,
        "Contract of the reference (default: that of --io, else NAME.io.json beside it, else the "
        "candidate's; arguments of `forward` are found by name)");
    command.add_option("--ref-type", flags.ref_type, "The same as --type, for the reference")
        ->check(type);
    command.add_option("--ref-kernel-name", flags.ref_kernel_name,
                       "The same as --kernel-name, for the reference");
  }
  add_file("--candidate,-c", flags.candidate, "Source of the kernel to judge");
  add_file("--io", flags.io,
           "Contract of the candidate: arguments and launch, as JSON (default: NAME.io.json "
           "beside NAME.cu, else the reference's; `assay init NAME.cu` drafts one)");
  command
      .add_option("--type", flags.type,
                  "torch, torch_cuda, triton, cuda or multi_kernel (default: by the file's "
                  "ending and content)")
      ->check(type);
  command.add_option("--kernel-name", flags.kernel_name, "Which kernel of the source to launch");
  command.add_option("--name", flags.name, "The job's name in lists (default: the file's name)");
}

void add_judging_flags(CLI::App& command, RequestFlags& flags) {
  const Heading heading(command, "How it is judged");
  command.add_option("--rounds", flags.rounds, "Rounds of fresh inputs (3)");
  command.add_option("--atol", flags.atol, "Absolute tolerance (default: measured)");
  command.add_option("--rtol", flags.rtol, "Relative tolerance (default: measured)");
  command
      .add_option("--allow", flags.allow,
                  "Accept answers of a lower precision: tf32, float16, bfloat16, float8")
      ->delimiter(',')
      ->check(one_of({"tf32", "float16", "bfloat16", "float8"}));
  command.add_flag(
      "--strict", flags.strict,
      "Refuse the check if zeros or a copy of an input would pass it, or if weights do not match");
  command
      .add_option("--require", flags.require,
                  "own_kernels: refuse a candidate whose own kernels do no work (on GPUs)")
      ->delimiter(',')
      ->check(one_of({"own_kernels"}));
  command.add_option("--sanitize", flags.sanitize, "Also look for: memory, race, init, sync")
      ->delimiter(',')
      ->check(one_of({"memory", "race", "init", "sync"}));
  command.add_option("--seed", flags.seed,
                     "Seed of all inputs, to repeat a run: its provenance.seed, or a number");
  command.add_option("--device", flags.device, "Run on this device only");
  command.add_option("--timeout", flags.timeout, "Seconds the work may take (120)");
}

void add_timing_flags(CLI::App& command, RequestFlags& flags) {
  const Heading heading(command, "How it is timed");
  command
      .add_option("--trials", flags.num_trials,
                  "Timed runs (100), or auto: until the speed is sure")
      ->check(CLI::Validator(number_or_auto, "NUMBER|auto"));
  command
      .add_option("--timing-mode", flags.timing_mode,
                  "What a timed call finds in a GPU's cache: cold, warm or graph")
      ->check(one_of({"cold", "warm", "graph"}));
  command.add_option("--threshold", flags.threshold,
                     "Times that differ by less are called the same (0.02)");
  command.add_flag("--judge-speed", flags.judge_speed,
                   "Judge the speed on the cpu device too, whose times say little of a GPU");
}

}  // namespace

void add_request_flags(CLI::App& command, RequestFlags& flags, bool with_reference) {
  add_source_flags(command, flags, with_reference);
  add_judging_flags(command, flags);
  add_timing_flags(command, flags);
}

}  // namespace assay::cli
