#include "compile/cuda_artifacts.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/compiler_end.hpp"
#include "compile/compiler_run.hpp"
#include "compile/diagnostics.hpp"
#include "model/artifact.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

const process::Limits kLimits{.memory_bytes = std::uint64_t{2} << 30U,
                              .processes = 16,
                              .tmp_bytes = std::uint64_t{64} << 20U,
                              .file_bytes = std::uint64_t{64} << 20U,
                              .open_files = 64,
                              .cpu_time = std::chrono::minutes(1)};

Artifact missing(std::string name, std::string why) {
  return {.name = std::move(name), .absent = std::move(why)};
}

Artifact present(std::string name, std::string text) {
  const std::uint64_t bytes = text.size();
  return {.name = std::move(name), .bytes = bytes, .text = std::move(text)};
}

std::string too_large() {
  return fmt::format("it has more than {} MiB", kLargestArtifact >> 20U);
}

/// A disassembler older than the compiler complains, and does its work.
std::string without_warnings(std::string_view text) {
  std::string rest;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with("nvdisasm warning")) rest.append(line).append("\n");
  }
  return rest;
}

}  // namespace

Artifact ptx_artifact(const fs::path& file) {
  if (!is_plain_file(file)) return missing("ptx", "the compiler left none");
  auto text = read_file(file, kLargestArtifact);
  if (!text && text.error().code() == ErrorCode::resource_exhausted) {
    return missing("ptx", too_large());
  }
  if (!text) return missing("ptx", text.error().message());
  if (text->empty()) return missing("ptx", "the compiler left none");
  return present("ptx", clean_diagnostics(*text, {}));
}

Result<Artifact> sass_artifact(const std::optional<fs::path>& nvdisasm, const fs::path& module,
                               const process::JailSupport& jails, const Deadline& deadline,
                               const std::stop_token& stop) {
  if (!nvdisasm) {
    return missing("sass", "nvdisasm was not found: install the CUDA toolkit or Triton");
  }
  const CompilerCall call{.program = *nvdisasm,
                          .standalone = true,
                          .nvidia = true,
                          .arguments = {"--print-code", module.string()},
                          .readable = {module.parent_path()},
                          .limits = kLimits,
                          .output_limit = kLargestArtifact};
  ASSAY_TRY(const process::CapturedRun run, run_compiler(call, jails, deadline, stop));
  if (run.dropped_bytes > 0) return missing("sass", too_large());
  const std::string text = clean_diagnostics(run.output, {{module.string(), "module"}});
  if (!succeeded(run)) {
    return missing(
        "sass", fmt::format("nvdisasm {}: {}", describe_end(run), text.substr(0, text.find('\n'))));
  }
  return present("sass", without_warnings(text));
}

}  // namespace assay::compile
