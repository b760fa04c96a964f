#include "compile/simt_extension_builder.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <iterator>
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
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/compiler.hpp"
#include "compile/compiler_end.hpp"
#include "compile/compiler_run.hpp"
#include "compile/diagnostics.hpp"
#include "compile/extension_builder.hpp"
#include "compile/extension_units.hpp"
#include "compile/own_error.hpp"
#include "compile/simt_options.hpp"
#include "compile/toolchain.hpp"
#include "compile/work_area.hpp"
#include "model/extension.hpp"
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

// torch's headers take some 3 GB to read, and 600 MB of disk once compiled.
const process::Limits kTorchCompilerLimits{.memory_bytes = std::uint64_t{6} << 30U,
                                           .processes = 64,
                                           .tmp_bytes = std::uint64_t{1} << 30U,
                                           .file_bytes = std::uint64_t{2} << 30U,
                                           .open_files = 1024,
                                           .cpu_time = std::chrono::minutes(10)};
constexpr simt::TorchHeaders kFew = simt::TorchHeaders::few;
constexpr simt::TorchHeaders kLean = simt::TorchHeaders::lean;
constexpr simt::TorchHeaders kAll = simt::TorchHeaders::all;
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
                simt::torch_header(place_of(interpreter, directory), simt::Variant::plain, kFew);
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
                const simt::TorchPlace place = place_of(interpreter, directory);
                for (const simt::TorchHeaders headers : {kFew, kLean}) {
                  commands.push_back(
                      simt::torch_header_command(toolchain, place, simt::Variant::plain, headers));
                }
                const HeaderTexts texts = header_texts(directory);
                commands.push_back(simt::torch_text_command(toolchain, place, kFew, texts.few));
                commands.push_back(simt::torch_text_command(toolchain, place, kAll, texts.all));
                commands.push_back(simt::torch_binding_command(toolchain, place));
                for (auto& command : commands)
                  command.erase(command.begin());  // the program itself
                return commands;
              },
          .readable = readable_of(interpreter),
          .limits = kTorchCompilerLimits};
}

std::string where(const ExtensionCall& call) {
  return fmt::format("extension '{}'", call.name);
}

/// One source as C++ for the host's compiler.
struct TranslatedSource {
  bool is_cuda = false;
  std::string text;
  AcceptedOptions options;
};

std::variant<TranslatedSource, Verdict> translate_one(const ExtensionCall& call,
                                                      const ExtensionSource& source) {
  auto options = simt_options(source.is_cuda ? call.cuda_cflags : call.cflags);
  if (auto* refused = std::get_if<RefusedOption>(&options)) {
    return Verdict(DidNotCompile{.log = fmt::format("{}: {}", where(call), refused->reason)});
  }
  if (const auto found = simt::find_unsupported(source.text); !found.empty()) {
    return Verdict(Unsupported{
        .reason = fmt::format("{} in {} of {} cannot run on the cpu device",
                              found.front().construct, source.name, where(call)),
        .line = static_cast<int>(simt::presumed_line(source.text, found.front().line))});
  }
  auto translation = simt::translate(
      source.text,
      {.file_name = source.name, .module = false, .name_expressions = {}, .torch = true});
  if (!translation) return Verdict(DidNotCompile{.log = translation.error().message()});
  return TranslatedSource{.is_cuda = source.is_cuda,
                          .text = std::move(translation->source),
                          .options = std::move(std::get<AcceptedOptions>(options))};
}

std::variant<std::vector<TranslatedSource>, Verdict> translate_all(const ExtensionCall& call) {
  std::vector<TranslatedSource> all;
  for (const ExtensionSource& source : call.sources) {
    auto one = translate_one(call, source);
    if (auto* verdict = std::get_if<Verdict>(&one)) return std::move(*verdict);
    all.push_back(std::get<TranslatedSource>(std::move(one)));
  }
  // CUDA first: there is most that may fail.
  std::ranges::stable_partition(all, &TranslatedSource::is_cuda);
  return all;
}

/// What the compiler is given: the sources, or both of them in one.
std::vector<std::string> texts_of(const ExtensionCall& call,
                                  const std::vector<TranslatedSource>& sources, bool join) {
  const std::string name = fmt::format("#define TORCH_EXTENSION_NAME {}\n", call.name);
  if (join) {
    // The one that only declares comes first: where the end of the other is missing, the compiler
    // then says so.
    const TranslatedSource& cuda = sources[0];
    return {fmt::format("{}{}{}\n{}", name, cuda.options.macros, sources[1].text, cuda.text)};
  }
  std::vector<std::string> texts;
  texts.reserve(sources.size());
  for (const TranslatedSource& source : sources) {
    texts.push_back(name + source.options.macros + source.text);
  }
  return texts;
}

/// Whether more headers, or sources compiled apart, may help what did not compile.
bool may_help(const process::CapturedRun& run) {
  return run.status.has_value() && !succeeded(run);
}

std::string log_of(const std::string& output, const ExtensionCall& call, const PathNames& names) {
  std::vector<simt::NamedSource> sources;
  sources.reserve(call.sources.size());
  for (const ExtensionSource& source : call.sources) sources.push_back({source.name, source.text});
  return clean_diagnostics(simt::readable_log(output, sources) + undefined_references(output),
                           names);
}

}  // namespace

SimtExtensionBuilder::SimtExtensionBuilder(const Compiler& compiler,
                                           python::Interpreter interpreter, fs::path toolchains,
                                           const WorkArea& work, const process::JailSupport& jails,
                                           const Clock& clock)
    : compiler_(compiler),
      interpreter_(std::move(interpreter)),
      jails_(jails),
      toolchain_(compiler, recipe_for(compiler_, interpreter_), std::move(toolchains), work, jails,
                 clock) {}

std::string SimtExtensionBuilder::fingerprint() const {
  Hasher hasher;
  hasher.field(toolchain_.fingerprint());
  compiler_.hash_into(hasher);
  return hasher.finish().hex();
}

Result<fs::path> SimtExtensionBuilder::wait_ready(const Deadline& deadline,
                                                  const std::stop_token& stop) {
  return toolchain_.get().wait_ready(deadline, stop);
}

struct SimtExtensionBuilder::Build {
  const ExtensionCall& call;
  fs::path sources;  // read-only for the compiler
  fs::path output;   // writable
  std::vector<std::string> flags;
  const Deadline& deadline;
  const std::stop_token& stop;

  [[nodiscard]] fs::path library() const { return output / "extension.so"; }
};

Result<std::variant<BuiltExtension, Compilation>> SimtExtensionBuilder::build(
    const ExtensionCall& call, const fs::path& directory, const Deadline& deadline,
    const std::stop_token& stop) {
  Build build{.call = call,
              .sources = directory / "source",
              .output = directory / "output",
              .flags = {},
              .deadline = deadline,
              .stop = stop};
  if (auto laid = lay_out_build(build.sources, build.output); !laid) {
    return std::unexpected(std::move(laid).error());
  }
  auto translated = translate_all(call);
  if (auto* verdict = std::get_if<Verdict>(&translated)) {
    return Compilation{.record = std::move(*verdict)};
  }
  const auto& sources = std::get<std::vector<TranslatedSource>>(translated);
  std::vector<std::string> notes;
  for (const TranslatedSource& source : sources) {
    std::ranges::copy(source.options.flags, std::back_inserter(build.flags));
    std::ranges::copy(source.options.notes, std::back_inserter(notes));
  }
  const bool join = may_be_joined(call) && sources[0].options.macros == sources[1].options.macros;
  JudgedRun made;
  if (join) {
    ASSAY_TRY(made, make_library(build, texts_of(call, sources, true), {kFew, kLean},
                                 simt::kOneErrorSuffices));
  }
  if (!join || may_help(made.run)) {
    std::vector<simt::TorchHeaders> headers = {kLean, kAll};
    // A mistake is told whole, and only when it is also one of the sources compiled apart.
    if (!join || made.own_error) headers.insert(headers.begin(), kFew);
    ASSAY_TRY(made,
              make_library(build, texts_of(call, sources, false), headers, simt::kErrorsShown));
  }
  const process::CapturedRun& run = made.run;
  const PathNames names = {{toolchain_.get().directory().string() + "/", ""},
                           {directory.string() + "/", ""}};
  std::string log = with_notes(notes, log_of(run.output, call, names));
  if (!succeeded(run)) return failure_of(run, std::move(log));
  if (!is_plain_file(build.library())) {
    return fail(ErrorCode::internal, compiler_.name() + " left no extension behind");
  }
  return BuiltExtension{.files = {{call.key, "library", build.library()}}, .log = std::move(log)};
}

/// Compiles each text with the first of `headers` that suffices it; ends where none does or would.
Result<JudgedRun> SimtExtensionBuilder::make_library(const Build& build,
                                                     const std::vector<std::string>& texts,
                                                     const std::vector<simt::TorchHeaders>& headers,
                                                     const char* errors) {
  const simt::Toolchain tools{.directory = toolchain_.get().directory()};
  const simt::TorchPlace place = place_of(interpreter_, tools.directory);
  // Checked extensions are rare: their headers are not compiled beforehand.
  const auto variant = build.call.instrumented ? simt::Variant::instrumented : simt::Variant::plain;
  std::vector<std::string> flags = build.flags;
  flags.emplace_back(errors);
  std::vector<fs::path> objects;
  std::string output;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const fs::path source = build.sources / fmt::format("{}_translated.cpp", i);
    if (auto written = write_file_atomically(source, texts[i]); !written) {
      return std::unexpected(std::move(written).error());
    }
    objects.push_back(build.output / fmt::format("{}.o", i));
    JudgedRun last;
    for (const simt::TorchHeaders some : headers) {
      ASSAY_TRY(last.run, run(build, simt::torch_object_command(tools, place, variant, some, source,
                                                                objects.back(), flags)));
      if (!may_help(last.run) || some == kAll) break;
      ASSAY_TRY(
          last.own_error,
          is_own_error(clean_diagnostics(last.run.output, {{build.sources.string() + "/", ""}}),
                       build.call, header_texts(tools.directory)));
      if (last.own_error) break;
    }
    if (!succeeded(last.run)) return last;
    output += last.run.output;
  }
  ASSAY_TRY(process::CapturedRun linked,
            run(build, simt::torch_link_command(tools, place, variant, objects, build.library())));
  linked.output.insert(0, output);
  return JudgedRun{.run = std::move(linked)};
}

Result<process::CapturedRun> SimtExtensionBuilder::run(const Build& build,
                                                       std::vector<std::string> command) {
  command.erase(command.begin());  // the program itself
  CompilerCall call{.program = compiler_.path,
                    .arguments = std::move(command),
                    .working_directory = build.sources,
                    .readable = readable_of(interpreter_),
                    .writable = {build.output},
                    .limits = kTorchCompilerLimits};
  call.limits.file_bytes = kLargestExtension;
  call.readable.insert(call.readable.end(), {toolchain_.get().directory(), build.sources});
  return run_compiler(call, jails_, build.deadline, build.stop);
}

std::string SimtExtensionBuilder::describe() const {
  return fmt::format("{}; {} (simt)", interpreter_.describe(), compiler_.name());
}

}  // namespace assay::compile
