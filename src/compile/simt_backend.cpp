#include "compile/simt_backend.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_record.hpp"
#include "compile/compiler.hpp"
#include "compile/compiler_end.hpp"
#include "compile/compiler_run.hpp"
#include "compile/diagnostics.hpp"
#include "compile/kernel_entry.hpp"
#include "compile/simt_options.hpp"
#include "compile/simt_source.hpp"
#include "compile/toolchain.hpp"
#include "compile/work_area.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "simt/diagnostics.hpp"
#include "simt/toolchain.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

const process::Limits kCompilerLimits{.memory_bytes = std::uint64_t{2} << 30U,
                                      .processes = 32,
                                      .tmp_bytes = std::uint64_t{256} << 20U,
                                      .file_bytes = std::uint64_t{64} << 20U,
                                      .open_files = 256,
                                      .cpu_time = std::chrono::minutes(5)};

// A name that nothing defines must not wait for the loader to be told.
constexpr std::array kOwnFlags = {"-Wl,--no-undefined", "-fmax-errors=20"};

/// Where one build keeps what; all paths are the same inside the jail.
struct BuildFiles {
  fs::path sources;  // read-only for the compiler
  fs::path translated;
  fs::path output;  // writable
  fs::path module;
};

Result<BuildFiles> lay_out(const fs::path& directory, const SimtSource& source) {
  const fs::path sources = directory / "source";
  const fs::path output = directory / "output";
  BuildFiles files{.sources = sources,
                   .translated = sources / "translated.cpp",
                   .output = output,
                   .module = output / "module.so"};
  auto ready = lay_out_build(sources, output);
  if (ready) ready = write_file_atomically(files.translated, source.text);
  if (!ready) return std::unexpected(std::move(ready).error());
  return files;
}

ToolchainRecipe recipe_for(const Compiler& compiler) {
  const std::string program = compiler.path.string();
  return {.fingerprint = simt::fingerprint(compiler.banner),
          .write_files =
              [](const fs::path& directory) { return simt::write_files({.directory = directory}); },
          .compiler_runs =
              [program](const fs::path& directory) {
                auto commands = simt::setup_commands({.directory = directory, .compiler = program});
                for (auto& command : commands)
                  command.erase(command.begin());  // the program itself
                return commands;
              }};
}

/// What the submitter reads of a run: messages about the source, and nothing of ours.
std::string log_of(const process::CapturedRun& run, const Kernel& kernel, const PathNames& names) {
  const std::array sources = {simt::NamedSource{.name = kSourceName, .text = kernel.source}};
  std::string log = simt::readable_log(run.output, sources) + undefined_references(run.output);
  if (run.dropped_bytes > 0) log += "the compiler printed more than is kept\n";
  return clean_diagnostics(log, names);
}

}  // namespace

SimtBackend::SimtBackend(const Compiler& compiler, const fs::path& toolchains, const WorkArea& work,
                         const process::JailSupport& jails, const Clock& clock)
    : jails_(jails), toolchain_(compiler, recipe_for(compiler), toolchains, work, jails, clock) {}

Digest SimtBackend::fingerprint() const {
  Hasher hasher;
  hasher.field(toolchain_.fingerprint().hex());
  for (const char* flag : kOwnFlags) hasher.field(flag);
  return hasher.field(std::to_string(kCompilerLimits.memory_bytes)).finish();
}

Result<fs::path> SimtBackend::wait_ready(const Deadline& deadline, const std::stop_token& stop) {
  return toolchain_.wait_ready(deadline, stop);
}

Result<Compilation> SimtBackend::compile(const Kernel& kernel, const fs::path& directory,
                                         const Deadline& deadline, const std::stop_token& stop) {
  auto options = simt_options(kernel.metadata.compiler_options);
  if (auto* refused = std::get_if<RefusedOption>(&options)) {
    return rejected(std::move(refused->reason));
  }
  const auto& [flags, macros, notes] = std::get<AcceptedOptions>(options);
  auto translation = simt_source(kernel, macros);
  if (auto* verdict = std::get_if<Verdict>(&translation)) {
    return Compilation{.record = std::move(*verdict)};
  }
  const auto& source = std::get<SimtSource>(translation);
  ASSAY_TRY(const BuildFiles files, lay_out(directory, source));
  std::vector<std::string> all_flags(kOwnFlags.begin(), kOwnFlags.end());
  all_flags.insert(all_flags.end(), flags.begin(), flags.end());
  std::vector<std::string> arguments =
      simt::module_command({.directory = toolchain_.directory()},
                           kernel.instrumented ? simt::Variant::instrumented : simt::Variant::plain,
                           files.translated, files.module, all_flags);
  arguments.erase(arguments.begin());  // the program itself
  const CompilerCall call{.program = toolchain_.compiler().path,
                          .arguments = std::move(arguments),
                          .working_directory = files.sources,
                          .readable = {toolchain_.directory(), files.sources},
                          .writable = {files.output},
                          .limits = kCompilerLimits};
  ASSAY_TRY(const process::CapturedRun run, run_compiler(call, jails_, deadline, stop));

  const PathNames names = {{toolchain_.directory().string() + "/", ""},
                           {directory.string() + "/", ""}};
  std::string log = with_notes(notes, log_of(run, kernel, names));
  if (!succeeded(run)) return failure_of(run, std::move(log));
  if (!is_plain_file(files.module)) {
    return fail(ErrorCode::internal, toolchain_.compiler().name() + " left no module behind");
  }
  return Compilation{.record = CompiledKernel{.module = files.module,
                                              .entry = source.entry,
                                              .compiler = toolchain_.compiler().name() + " (simt)",
                                              .log = std::move(log)}};
}

std::string SimtBackend::describe() const {
  const Compiler& compiler = toolchain_.compiler();
  return fmt::format("{} ({}, {})", compiler.name(), compiler.path.string(), compiler.target);
}

}  // namespace assay::compile
