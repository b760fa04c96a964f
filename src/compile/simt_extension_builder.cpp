#include "compile/simt_extension_builder.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_record.hpp"
#include "compile/compiler.hpp"
#include "compile/compiler_end.hpp"
#include "compile/compiler_run.hpp"
#include "compile/diagnostics.hpp"
#include "compile/extension_builder.hpp"
#include "compile/simt_options.hpp"
#include "compile/toolchain.hpp"
#include "compile/work_area.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "python/interpreter.hpp"
#include "simt/diagnostics.hpp"
#include "simt/toolchain.hpp"
#include "simt/torch_extension.hpp"
#include "simt/translate.hpp"
#include "simt/unsupported.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

// torch's headers take some 3 GB to read, and 800 MB of disk once compiled.
const process::Limits kCompilerLimits{.memory_bytes = std::uint64_t{6} << 30U,
                                      .processes = 64,
                                      .tmp_bytes = std::uint64_t{1} << 30U,
                                      .file_bytes = std::uint64_t{2} << 30U,
                                      .open_files = 1024,
                                      .cpu_time = std::chrono::minutes(10)};
constexpr const char* kPrepared = "torch";  // within the toolchain's directory

simt::TorchPlace place_of(const python::Interpreter& interpreter, const fs::path& toolchain) {
  const fs::path& torch = interpreter.torch_directory;
  return {
      .include = {torch / "include", torch / "include/torch/csrc/api/include", interpreter.headers},
      .library = torch / "lib",
      .prepared = toolchain / kPrepared};
}

/// What the jail does not have of its own, as it has /usr.
std::vector<fs::path> readable_of(const python::Interpreter& interpreter) {
  std::vector<fs::path> paths = {interpreter.torch_directory, interpreter.headers};
  std::erase_if(paths, [](const fs::path& path) { return path.string().starts_with("/usr/"); });
  return paths;
}

/// Its own copy of simt's toolchain, with torch's headers compiled beside it.
ToolchainRecipe recipe_for(const Compiler& compiler, const python::Interpreter& interpreter) {
  const std::string program = compiler.path.string();
  return {.fingerprint =
              fmt::format("torch {} {} {}", interpreter.torch, interpreter.torch_directory.string(),
                          simt::fingerprint(compiler.banner)),
          .write_files = [interpreter](const fs::path& directory) -> Result<void> {
            const fs::path header =
                simt::torch_header(place_of(interpreter, directory), simt::Variant::plain);
            std::error_code failure;
            fs::create_directories(header.parent_path(), failure);
            if (failure)
              return fail(ErrorCode::internal, "lay out a toolchain: " + failure.message());
            return simt::write_files({.directory = directory});
          },
          .compiler_runs =
              [program, interpreter](const fs::path& directory) {
                const simt::Toolchain toolchain{.directory = directory, .compiler = program};
                auto commands = simt::setup_commands(toolchain);
                commands.push_back(
                    simt::torch_header_command(toolchain, place_of(interpreter, directory)));
                for (auto& command : commands)
                  command.erase(command.begin());  // the program itself
                return commands;
              },
          .readable = readable_of(interpreter),
          .limits = kCompilerLimits};
}

struct TranslatedSources {
  std::vector<fs::path> files;
  std::vector<std::string> flags;
  std::vector<std::string> notes;
};

std::string did_not_compile_where(const ExtensionCall& call) {
  return fmt::format("extension '{}'", call.name);
}

/// Writes the sources of an extension as C++ for the host's compiler, or says why not.
Result<std::variant<TranslatedSources, Verdict>> translate_all(const ExtensionCall& call,
                                                               const fs::path& directory) {
  TranslatedSources translated;
  for (std::size_t i = 0; i < call.sources.size(); ++i) {
    const ExtensionSource& source = call.sources[i];
    auto options = simt_options(source.is_cuda ? call.cuda_cflags : call.cflags);
    if (auto* refused = std::get_if<RefusedOption>(&options)) {
      return Verdict(DidNotCompile{
          .log = fmt::format("{}: {}", did_not_compile_where(call), refused->reason)});
    }
    auto& accepted = std::get<AcceptedOptions>(options);
    if (const auto found = simt::find_unsupported(source.text); !found.empty()) {
      return Verdict(Unsupported{
          .reason = fmt::format("{} in {} of {} cannot run on the cpu device",
                                found.front().construct, source.name, did_not_compile_where(call)),
          .line = static_cast<int>(found.front().line)});
    }
    auto translation = simt::translate(
        source.text,
        {.file_name = source.name, .module = false, .name_expressions = {}, .torch = true});
    if (!translation) return Verdict(DidNotCompile{.log = translation.error().message()});
    translated.files.push_back(directory / fmt::format("{}_{}.cpp", i, "translated"));
    const std::string text = fmt::format("#define TORCH_EXTENSION_NAME {}\n{}{}", call.name,
                                         accepted.macros, translation->source);
    if (auto written = write_file_atomically(translated.files.back(), text); !written) {
      return std::unexpected(std::move(written).error());
    }
    for (auto& flag : accepted.flags) translated.flags.push_back(std::move(flag));
    for (auto& note : accepted.notes) translated.notes.push_back(std::move(note));
  }
  return translated;
}

std::string log_of(const process::CapturedRun& run, const ExtensionCall& call,
                   const PathNames& names) {
  std::string log;
  for (const ExtensionSource& source : call.sources) {
    log += simt::readable_log(run.output, source.text, source.name);
  }
  return clean_diagnostics(log + undefined_references(run.output), names);
}

}  // namespace

SimtExtensionBuilder::SimtExtensionBuilder(const Compiler& compiler,
                                           python::Interpreter interpreter, fs::path toolchains,
                                           const WorkArea& work, const process::JailSupport& jails,
                                           const Clock& clock)
    : compiler_(compiler),
      interpreter_(std::move(interpreter)),
      toolchains_(std::move(toolchains)),
      work_(work),
      jails_(jails),
      clock_(clock) {}

std::string SimtExtensionBuilder::fingerprint() const {
  Hasher hasher;
  hasher.field(recipe_for(compiler_, interpreter_).fingerprint);
  compiler_.hash_into(hasher);
  return hasher.finish().hex();
}

Toolchain& SimtExtensionBuilder::toolchain() {
  const MutexLock lock(mutex_);
  if (toolchain_ == nullptr) {
    toolchain_ = std::make_unique<Toolchain>(compiler_, recipe_for(compiler_, interpreter_),
                                             toolchains_, work_, jails_, clock_);
  }
  return *toolchain_;
}

Result<fs::path> SimtExtensionBuilder::wait_ready(const Deadline& deadline,
                                                  const std::stop_token& stop) {
  return toolchain().wait_ready(deadline, stop);
}

Result<std::variant<BuiltExtension, Compilation>> SimtExtensionBuilder::build(
    const ExtensionCall& call, const fs::path& directory, const Deadline& deadline,
    const std::stop_token& stop) {
  const fs::path sources = directory / "source";
  const fs::path output = directory / "output";
  std::error_code failure;
  fs::create_directories(sources, failure);
  if (!failure) fs::create_directory(output, failure);
  if (failure) return fail(ErrorCode::internal, "lay out a build: " + failure.message());
  if (auto given = process::give_to_jail(output); !given) {
    return std::unexpected(std::move(given).error());
  }
  ASSAY_TRY(auto translated, translate_all(call, sources));
  if (auto* verdict = std::get_if<Verdict>(&translated)) {
    return Compilation{.record = std::move(*verdict)};
  }
  auto& [files, flags, notes] = std::get<TranslatedSources>(translated);
  flags.emplace_back("-fmax-errors=20");
  const fs::path library = output / "extension.so";
  const simt::Toolchain tools{.directory = toolchain().directory()};
  // Checked extensions are rare: their headers are not compiled beforehand.
  const auto variant = call.instrumented ? simt::Variant::instrumented : simt::Variant::plain;
  std::vector<std::string> arguments = simt::torch_extension_command(
      tools, place_of(interpreter_, tools.directory), variant, files, library, flags);
  arguments.erase(arguments.begin());  // the program itself
  CompilerCall run_of{.program = compiler_.path,
                      .arguments = std::move(arguments),
                      .working_directory = sources,
                      .readable = readable_of(interpreter_),
                      .writable = {output},
                      .limits = kCompilerLimits};
  run_of.readable.insert(run_of.readable.end(), {tools.directory, sources});
  ASSAY_TRY(const process::CapturedRun run, run_compiler(run_of, jails_, deadline, stop));
  const PathNames names = {{tools.directory.string() + "/", ""}, {directory.string() + "/", ""}};
  std::string log = with_notes(notes, log_of(run, call, names));
  if (!succeeded(run)) return failure_of(run, std::move(log));
  if (!is_plain_file(library)) {
    return fail(ErrorCode::internal, compiler_.name() + " left no extension behind");
  }
  return BuiltExtension{.files = {{call.key, "library", library}}, .log = std::move(log)};
}

std::string SimtExtensionBuilder::describe() const {
  return fmt::format("{}; {} (simt)", interpreter_.describe(), compiler_.name());
}

}  // namespace assay::compile
