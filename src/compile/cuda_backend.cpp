#include "compile/cuda_backend.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_record.hpp"
#include "compile/compiler_end.hpp"
#include "compile/compiler_run.hpp"
#include "compile/cuda_artifacts.hpp"
#include "compile/cuda_options.hpp"
#include "compile/cuda_toolkit.hpp"
#include "compile/device_source.hpp"
#include "compile/diagnostics.hpp"
#include "compile/extension_units.hpp"
#include "compile/kernel_entry.hpp"
#include "compile/nvcc_entry.hpp"
#include "compile/nvrtc_headers.hpp"
#include "compile/nvrtc_program.hpp"
#include "compile/option_rules.hpp"
#include "compile/ptxas_report.hpp"
#include "model/artifact.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"
#include "process/exit_status.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "simt/translate.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

const process::Limits kCudaCompilerLimits{.memory_bytes = std::uint64_t{4} << 30U,
                                          .processes = 32,
                                          .tmp_bytes = std::uint64_t{256} << 20U,
                                          .file_bytes = std::uint64_t{64} << 20U,
                                          .open_files = 256,
                                          .cpu_time = std::chrono::minutes(5)};
constexpr std::chrono::seconds kLongestQuestion{60};
constexpr std::size_t kLongestEntry = std::size_t{64} << 10U;

// What NVRTC says of a source that was written for nvcc.
constexpr std::string_view kHostFunction = "host functions are not allowed in JIT mode";
constexpr std::string_view kMissingHeader = "open source file";

/// What the compilers define for the device, and the request for them, as lines of source.
std::string macros_for(ComputeCapability device, const CudaOptions& options) {
  return fmt::format("#define __CUDA_ARCH__ {}{}0\n{}", device.major, device.minor,
                     macros_of(options.flags));
}

/// How the kernel to launch is written in the source, which `macros` stand before.
std::variant<std::string, Verdict> expression_of(const Kernel& kernel, std::string macros) {
  const std::vector<std::string> instances = instances_of(kernel.metadata);
  const auto translation = simt::translate(
      kernel.source,
      {.file_name = kSourceName, .name_expressions = instances, .macros = std::move(macros)});
  if (!translation) return Verdict(DidNotCompile{.log = translation.error().message()});
  // Kernels that a macro makes are not seen here; the compiler knows better.
  const auto& name = kernel.metadata.kernel_name;
  if (translation->kernels.empty() && name) return *name;
  return find_entry(kernel.metadata, instances, translation->kernels);
}

/// Why the source was rejected; nothing where it was not.
std::string_view rejection_of(const Compilation& compilation) {
  const auto* verdict = std::get_if<Verdict>(&compilation.record);
  const auto* rejection = verdict == nullptr ? nullptr : std::get_if<DidNotCompile>(verdict);
  return rejection == nullptr ? std::string_view() : rejection->log;
}

bool says(const Compilation& compilation, std::string_view text) {
  return rejection_of(compilation).find(text) != std::string_view::npos;
}

/// Whether an error lies in a header of NVIDIA's, which may be right for nvcc.
bool fails_in_a_header(const Compilation& compilation) {
  for (const auto line : std::views::split(rejection_of(compilation), '\n')) {
    const std::string_view text(line.begin(), line.end());
    if (text.starts_with('/') && text.find("): error: ") != std::string_view::npos) return true;
  }
  return false;
}

bool exited_with(const process::CapturedRun& run, int code) {
  return run.status == process::ExitStatus(process::Exited{.code = code});
}

}  // namespace

struct CudaBackend::Build {
  const Kernel& kernel;
  const fs::path& directory;
  const Deadline& deadline;
  const std::stop_token& stop;
  std::string expression;
  CudaOptions options;
  fs::path sources = directory / "source";  // read-only for the compiler
  fs::path source = sources / kSourceName;
  fs::path output = directory / "output";  // writable
  fs::path module = output / kNvrtcModule;
  fs::path ptx = output / kNvrtcPtx;

  [[nodiscard]] Result<void> lay_out(std::string_view text) const {
    auto ready = lay_out_build(sources, output);
    if (ready) ready = write_file_atomically(source, text);
    return ready;
  }
};

CudaBackend::CudaBackend(CudaBackendSettings settings, const process::JailSupport& jails,
                         std::string nvrtc_version)
    : settings_(std::move(settings)), jails_(jails), version_(std::move(nvrtc_version)) {}

Result<std::unique_ptr<CudaBackend>> CudaBackend::open(CudaBackendSettings settings,
                                                       const process::JailSupport& jails,
                                                       const Clock& clock) {
  const CudaToolkit& toolkit = settings.toolkit;
  const CompilerCall call{
      .program = settings.executable,
      .standalone = true,
      .nvidia = true,
      .arguments = {kNvrtcCommand, toolkit.nvrtc.string(), toolkit.builtins.string()},
      .readable = toolkit.directories(),
      .limits = kCudaCompilerLimits};
  ASSAY_TRY(const process::CapturedRun run,
            run_compiler(call, jails, Deadline(clock, kLongestQuestion), {}));
  if (!succeeded(run)) {
    return fail(ErrorCode::not_found,
                fmt::format("{} {}: {}", toolkit.nvrtc.string(), describe_end(run), run.output));
  }
  std::string version = run.output.substr(0, run.output.find('\n'));
  return std::unique_ptr<CudaBackend>(
      new CudaBackend(std::move(settings), jails, std::move(version)));
}

Digest CudaBackend::fingerprint() const {
  Hasher hasher;
  hasher.field("cuda 2").field(version_).field(
      fmt::format("{}.{}", settings_.device.major, settings_.device.minor));
  settings_.toolkit.hash_into(hasher);
  for (const NvrtcHeader& header : nvrtc_headers()) hasher.field(header.name).field(header.text);
  hasher.field(signature_request("kernel"));
  for (const fs::path& include : settings_.includes) hasher.field(include.string());
  return hasher.finish();
}

Result<fs::path> CudaBackend::wait_ready(const Deadline&, const std::stop_token&) {
  return fs::path();  // a module needs nothing beside it
}

Result<Compilation> CudaBackend::compile(const Kernel& kernel, const fs::path& directory,
                                         const Deadline& deadline, const std::stop_token& stop) {
  const CudaCompiler wanted = kernel.metadata.backend;
  std::vector<fs::path> includes = settings_.toolkit.includes;
  includes.insert(includes.end(), settings_.includes.begin(), settings_.includes.end());
  auto options = cuda_options(kernel.metadata.compiler_options, wanted, settings_.device, includes);
  if (auto* refused = std::get_if<RefusedOption>(&options)) {
    return rejected(std::move(refused->reason));
  }
  auto expression =
      expression_of(kernel, macros_for(settings_.device, std::get<CudaOptions>(options)));
  if (auto* verdict = std::get_if<Verdict>(&expression)) {
    return Compilation{.record = std::move(*verdict)};
  }
  Build build{.kernel = kernel,
              .directory = directory,
              .deadline = deadline,
              .stop = stop,
              .expression = std::get<std::string>(std::move(expression)),
              .options = std::get<CudaOptions>(std::move(options))};
  for (const fs::path& include : includes) {
    build.options.flags.push_back("-I" + include.string());
  }
  if (kernel.instrumented) build.options.flags.emplace_back(kLineInfo);
  if (wanted == CudaCompiler::nvcc) return by_nvcc(build);
  ASSAY_TRY(Compilation made, by_nvrtc(build, kernel.source, {}));
  if (says(made, kHostFunction)) {
    const std::array<std::string, 1> flags = {"-default-device"};
    ASSAY_TRY(made, by_nvrtc(build, without_host_functions(kernel.source), flags));
  }
  const bool for_nvcc = says(made, kMissingHeader) || fails_in_a_header(made);
  if (for_nvcc && settings_.toolkit.nvcc) return by_nvcc(build);
  return made;
}

Result<Compilation> CudaBackend::by_nvrtc(const Build& build, std::string_view source,
                                          std::span<const std::string> more_flags) const {
  if (auto ready = build.lay_out(source); !ready) return std::unexpected(ready.error());
  const CudaToolkit& toolkit = settings_.toolkit;
  CompilerCall call{.program = settings_.executable,
                    .standalone = true,
                    .nvidia = true,
                    .arguments = {kNvrtcCommand, toolkit.nvrtc.string(), toolkit.builtins.string(),
                                  build.source.string(), build.output.string(), build.expression},
                    .working_directory = build.sources,
                    .readable = toolkit.directories(),
                    .writable = {build.output},
                    .limits = kCudaCompilerLimits};
  std::ranges::copy(build.options.flags, std::back_inserter(call.arguments));
  std::ranges::copy(more_flags, std::back_inserter(call.arguments));
  call.arguments.emplace_back(kPtxasReportFlag);
  std::ranges::copy(settings_.includes, std::back_inserter(call.readable));
  call.readable.push_back(build.sources);
  ASSAY_TRY(const process::CapturedRun run, run_compiler(call, jails_, build.deadline, build.stop));
  std::string log = with_notes(build.options.notes, log_of(build, run));
  if (exited_with(run, kNvrtcBroken)) return fail(ErrorCode::internal, "NVRTC: " + run.output);
  if (!succeeded(run)) return failure_of(run, std::move(log));
  if (!is_plain_file(build.module) || !is_plain_file(build.output / kNvrtcEntry)) {
    return fail(ErrorCode::internal, "NVRTC left no module behind");
  }
  ASSAY_TRY(std::string entry, read_file(build.output / kNvrtcEntry, kLongestEntry));
  const auto spills = spills_in(run.output, entry);
  ASSAY_TRY(auto artifacts, artifacts_of(build));
  return Compilation{.record = CompiledKernel{.module = build.module,
                                              .entry = std::move(entry),
                                              .compiler = "NVRTC " + version_,
                                              .log = std::move(log),
                                              .spills = spills,
                                              .artifacts = std::move(artifacts)}};
}

Result<Compilation> CudaBackend::by_nvcc(const Build& build) const {
  if (!settings_.toolkit.nvcc) {
    return Compilation{.record = Verdict(Unsupported{
                           .reason = "nvcc is not installed here: leave out \"backend\" to compile "
                                     "with NVRTC"})};
  }
  const std::string text = build.kernel.source + nvcc_request(build.expression);
  if (auto ready = build.lay_out(text); !ready) return std::unexpected(ready.error());
  ASSAY_TRY(const process::CapturedRun run, run_nvcc(build, "-cubin", build.module));
  std::string log = with_notes(build.options.notes, log_of(build, run));
  if (!succeeded(run)) return failure_of(run, std::move(log));
  if (!is_plain_file(build.module)) return fail(ErrorCode::internal, "nvcc left no module behind");
  ASSAY_TRY(const std::string cubin, read_file(build.module));
  const auto entry = entry_in(cubin, build.expression);
  if (!entry) return rejected(log + "error: the kernel to launch is not in the compiled module\n");
  if (build.kernel.artifacts.ptx) {
    // What the artifact says of it, the file tells.
    ASSAY_TRY([[maybe_unused]] const auto listed, run_nvcc(build, "-ptx", build.ptx));
  }
  ASSAY_TRY(auto artifacts, artifacts_of(build));
  return Compilation{.record = CompiledKernel{.module = build.module,
                                              .entry = *entry,
                                              .compiler = "nvcc " + version_,
                                              .log = std::move(log),
                                              .spills = spills_in(run.output, *entry),
                                              .artifacts = std::move(artifacts)}};
}

Result<process::CapturedRun> CudaBackend::run_nvcc(const Build& build, const char* form,
                                                   const fs::path& output) const {
  CompilerCall call{.program = *settings_.toolkit.nvcc,
                    .nvidia = true,
                    .arguments = {form, "--expt-relaxed-constexpr", kPtxasReportFlag, "-o",
                                  output.string(), build.source.string()},
                    .working_directory = build.sources,
                    .readable = settings_.toolkit.includes,
                    .writable = {build.output},
                    .limits = kCudaCompilerLimits};
  std::ranges::copy(build.options.flags, std::back_inserter(call.arguments));
  std::ranges::copy(settings_.includes, std::back_inserter(call.readable));
  call.readable.push_back(build.sources);
  return run_compiler(call, jails_, build.deadline, build.stop);
}

Result<std::vector<Artifact>> CudaBackend::artifacts_of(const Build& build) const {
  std::vector<Artifact> artifacts;
  if (build.kernel.artifacts.ptx) artifacts.push_back(ptx_artifact(build.ptx));
  if (build.kernel.artifacts.sass) {
    ASSAY_TRY(artifacts.emplace_back(), sass_artifact(settings_.toolkit.nvdisasm, build.module,
                                                      jails_, build.deadline, build.stop));
  }
  return artifacts;
}

std::string CudaBackend::log_of(const Build& build, const process::CapturedRun& run) const {
  PathNames names = {{build.sources.string() + "/", ""}, {build.directory.string() + "/", ""}};
  for (const fs::path& include : settings_.toolkit.includes) {
    names.emplace_back(include.string() + "/", "");
  }
  std::string log = without_ptxas_report(clean_diagnostics(run.output, names));
  if (run.dropped_bytes > 0) log += "the compiler printed more than is kept\n";
  return log;
}

std::string CudaBackend::describe() const {
  return fmt::format("NVRTC {} ({}) for sm_{}{}{}", version_, settings_.toolkit.nvrtc.string(),
                     settings_.device.major, settings_.device.minor,
                     settings_.toolkit.nvcc ? ", nvcc when asked" : "");
}

}  // namespace assay::compile
