#include "compile/cuda_extension_builder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <future>
#include <iterator>
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
#include <fmt/ranges.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/parallel.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/compiler.hpp"
#include "compile/compiler_end.hpp"
#include "compile/compiler_run.hpp"
#include "compile/cuda_backend.hpp"
#include "compile/cuda_extension_toolchain.hpp"
#include "compile/cuda_options.hpp"
#include "compile/diagnostics.hpp"
#include "compile/extension_builder.hpp"
#include "compile/extension_container.hpp"
#include "compile/extension_units.hpp"
#include "compile/nvrtc_program.hpp"
#include "compile/option_rules.hpp"
#include "compile/own_error.hpp"
#include "compile/stub_symbols.hpp"
#include "compile/toolchain.hpp"
#include "compile/work_area.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "python/interpreter.hpp"
#include "simt/split.hpp"
#include "simt/torch_extension.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

constexpr simt::TorchHeaders kFew = simt::TorchHeaders::few;
constexpr simt::TorchHeaders kLean = simt::TorchHeaders::lean;
constexpr simt::TorchHeaders kAll = simt::TorchHeaders::all;
// As torch compiles extensions: kernels convert half numbers in words, not by operators.
constexpr std::array kTorchMacros = {
    "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__"};

/// A source's text after the macros that it was to be compiled with.
std::string with_macros(const ExtensionCall& call, bool is_cuda, std::string_view text) {
  return fmt::format("#define TORCH_EXTENSION_NAME {}\n{}{}", call.name,
                     macros_of(is_cuda ? call.cuda_cflags : call.cflags), text);
}

}  // namespace

struct CudaExtensionBuilder::Build {
  const ExtensionCall& call;
  fs::path sources;  // read-only for the compilers
  fs::path output;   // writable
  const Deadline& deadline;
  const std::stop_token& stop;

  [[nodiscard]] fs::path library() const { return output / "extension.so"; }
  [[nodiscard]] fs::path object(std::size_t i) const { return output / fmt::format("{}.o", i); }
  [[nodiscard]] std::string shown(const std::string& log) const {
    return clean_diagnostics(log, {{sources.string() + "/", ""}, {output.string() + "/", ""}});
  }
};

struct CudaExtensionBuilder::Parts {
  std::vector<std::string> host;  // a text for each source of the call
  std::string joined;             // all of them in one; empty: that may not be done
  std::string device;             // all device sides, one after the other
  std::vector<std::string> kernels;
};

struct CudaExtensionBuilder::Unit {
  fs::path source;
  fs::path object;
  bool by_nvcc = false;
  bool briefly = false;  // one error says enough: nobody is shown them
};

CudaExtensionBuilder::CudaExtensionBuilder(const Compiler& compiler,
                                           python::Interpreter interpreter,
                                           CudaBackendSettings cuda, fs::path toolchains,
                                           const WorkArea& work, const process::JailSupport& jails,
                                           const Clock& clock)
    : compiler_(compiler),
      interpreter_(std::move(interpreter)),
      cuda_(std::move(cuda)),
      jails_(jails),
      toolchains_(std::move(toolchains)),
      toolchain_(compiler, extension_toolchain(interpreter_, cuda_), toolchains_, work, jails,
                 clock) {}

std::string CudaExtensionBuilder::fingerprint() const {
  Hasher hasher;
  hasher.field(toolchain_.fingerprint());
  hasher.field(fmt::format("{}.{}", cuda_.device.major, cuda_.device.minor));
  compiler_.hash_into(hasher);
  return hasher.finish().hex();
}

Result<fs::path> CudaExtensionBuilder::wait_ready(const Deadline& deadline,
                                                  const std::stop_token& stop) {
  return toolchain_.get().wait_ready(deadline, stop);
}

Result<std::variant<BuiltExtension, Compilation>> CudaExtensionBuilder::build(
    const ExtensionCall& call, const fs::path& directory, const Deadline& deadline,
    const std::stop_token& stop) {
  const Build build{.call = call,
                    .sources = directory / "source",
                    .output = directory / "output",
                    .deadline = deadline,
                    .stop = stop};
  if (auto laid = lay_out_build(build.sources, build.output); !laid) {
    return std::unexpected(std::move(laid).error());
  }
  auto built = in_two_parts(build);
  if (built) return std::move(*built);
  const ErrorCode why = built.error().code();
  if (why != ErrorCode::unavailable && why != ErrorCode::invalid_argument) {
    return std::unexpected(std::move(built).error());
  }
  return as_a_whole(build, built.error().message());
}

Result<CudaExtensionBuilder::Parts> CudaExtensionBuilder::take_apart(const Build& build) {
  const ExtensionCall& call = build.call;
  Parts parts;
  std::string cuda;
  std::string plain;
  for (const ExtensionSource& source : call.sources) {
    if (!source.is_cuda) {
      plain = source.text;
      parts.host.push_back(with_macros(call, false, source.text));
      continue;
    }
    ASSAY_TRY(simt::SplitSource both, simt::split(source.text, source.name));
    cuda = both.host;
    parts.host.push_back(with_macros(call, true, both.host));
    parts.device += both.device + "\n";
    std::ranges::move(both.kernels, std::back_inserter(parts.kernels));
  }
  if (may_be_joined(call) && macros_of(call.cflags) == macros_of(call.cuda_cflags)) {
    parts.joined = with_macros(call, true, cuda + "\n" + plain);
  }
  return parts;
}

/// Fails with the reason where this road does not lead to the end: `invalid_argument` where the
/// source is to blame, otherwise `unavailable`.
Result<BuiltExtension> CudaExtensionBuilder::in_two_parts(const Build& build) {
  ASSAY_TRY(const Parts parts, take_apart(build));
  Result<void> made;
  if (parts.joined.empty()) {
    made = compile_host(build, parts.host, {kFew, kLean, kAll});
  } else {
    made = compile_host(build, {parts.joined}, {kFew, kLean});
    if (!made && made.error().code() == ErrorCode::unavailable) {
      made = compile_host(build, parts.host, {kLean, kAll});
    }
  }
  if (!made) return std::unexpected(std::move(made).error());
  BuiltExtension built{.files = {{build.call.key, "library", build.library()}}, .log = {}};
  if (parts.kernels.empty()) return built;
  ASSAY_TRY(auto device, compile_device(build, parts));
  std::ranges::move(device, std::back_inserter(built.files));
  return built;
}

Result<void> CudaExtensionBuilder::compile_host(const Build& build,
                                                const std::vector<std::string>& texts,
                                                const std::vector<simt::TorchHeaders>& headers) {
  const fs::path& tools = toolchain_.get().directory();
  std::vector<fs::path> objects = {simt::torch_binding_object(tools), launch_object(tools)};
  std::vector<Unit> units;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    units.push_back({.source = build.sources / fmt::format("{}.cpp", i),
                     .object = build.object(i),
                     .briefly = true});
    objects.push_back(build.object(i));
    if (auto written = write_file_atomically(units[i].source, texts[i]); !written) return written;
  }
  ASSAY_TRY(const auto failed, compile_units(build, units, headers));
  if (failed) {
    return fail(failed->own_error ? ErrorCode::invalid_argument : ErrorCode::unavailable,
                "the host side alone: " + build.shown(failed->run.output));
  }
  ASSAY_TRY(const process::CapturedRun linked,
            run(build, compiler_.path, link_command(build, objects)));
  if (succeeded(linked) && is_plain_file(build.library())) return {};
  return fail(ErrorCode::unavailable, "linking the host side: " + build.shown(linked.output));
}

/// Compiles a few at once, until one fails. Gives the first that failed, if any did.
Result<std::optional<JudgedRun>> CudaExtensionBuilder::compile_units(
    const Build& build, const std::vector<Unit>& units,
    const std::vector<simt::TorchHeaders>& headers) {
  constexpr std::size_t kAtOnce = 4;  // an author may name thousands of files
  std::vector<std::optional<Result<JudgedRun>>> ended(units.size());
  std::atomic<bool> failed = false;
  in_parallel(units.size(), kAtOnce, [&](std::size_t i) {
    if (failed) return;
    ended[i] = compile_unit(build, units[i], headers);
    failed = failed || !*ended[i] || !succeeded((*ended[i])->run);
  });
  for (auto& one : ended) {
    if (!one) continue;
    if (!*one) return std::unexpected(std::move(*one).error());
    if (!succeeded((*one)->run)) return **std::move(one);
  }
  return std::nullopt;
}

/// With the first of `headers` that suffices it, or until no others would help.
Result<JudgedRun> CudaExtensionBuilder::compile_unit(
    const Build& build, const Unit& unit, const std::vector<simt::TorchHeaders>& headers) {
  JudgedRun last;
  for (const simt::TorchHeaders some : headers) {
    std::vector<std::string> command =
        unit.by_nvcc ? nvcc_command(build.call, some) : host_command(some);
    if (unit.briefly && some != kAll) command.emplace_back(simt::kOneErrorSuffices);
    command.insert(command.end(), {"-c", unit.source.string(), "-o", unit.object.string()});
    ASSAY_TRY(last.run,
              run(build, unit.by_nvcc ? *cuda_.toolkit.nvcc : compiler_.path, std::move(command)));
    if (succeeded(last.run) || !last.run.status || some == kAll) break;
    ASSAY_TRY(last.own_error, is_own_error(build.shown(last.run.output), build.call,
                                           header_texts(toolchain_.get().directory())));
    if (last.own_error) break;
  }
  return last;
}

Result<std::vector<ExtensionFile>> CudaExtensionBuilder::compile_device(const Build& build,
                                                                        const Parts& parts) {
  auto plainly = std::async(std::launch::async, [&] { return symbols(build, false); });
  ASSAY_TRY(const auto demangled, symbols(build, true));
  ASSAY_TRY(const auto plain, plainly.get());
  const std::vector<StubSymbol> stubs = find_stubs(plain, demangled, parts.kernels);
  std::vector<std::string> expressions;
  expressions.reserve(stubs.size());
  for (const StubSymbol& stub : stubs) expressions.push_back(stub.expression);
  if (expressions.empty()) return fail(ErrorCode::unavailable, "no kernel is launched");

  auto options = cuda_options(build.call.cuda_cflags, CudaCompiler::nvrtc, cuda_.device,
                              cuda_.toolkit.includes);
  if (const auto* refused = std::get_if<RefusedOption>(&options)) {
    return fail(ErrorCode::unavailable, refused->reason);
  }
  const fs::path source = build.sources / "device.cu";
  if (auto written =
          write_file_atomically(source, "#include <assay/gpu/device.hpp>\n" + parts.device);
      !written) {
    return std::unexpected(std::move(written).error());
  }
  std::vector<std::string> command = {kNvrtcCommand,
                                      cuda_.toolkit.nvrtc.string(),
                                      cuda_.toolkit.builtins.string(),
                                      source.string(),
                                      build.output.string(),
                                      fmt::format("{}", fmt::join(expressions, "\n"))};
  std::ranges::copy(std::get<CudaOptions>(options).flags, std::back_inserter(command));
  if (build.call.instrumented) command.emplace_back(kLineInfo);
  std::ranges::copy(kTorchMacros, std::back_inserter(command));
  command.insert(command.end(),
                 {"-default-device", "-I" + (toolchain_.get().directory() / "include").string()});
  for (const fs::path& include : cuda_.toolkit.includes) command.push_back("-I" + include.string());
  ASSAY_TRY(const process::CapturedRun made, run(build, cuda_.executable, std::move(command)));
  if (!succeeded(made)) {
    return fail(ErrorCode::unavailable, "the device side alone: " + build.shown(made.output));
  }
  if (!is_plain_file(build.output / kNvrtcEntry)) {
    return fail(ErrorCode::internal, "NVRTC left no names behind");
  }
  ASSAY_TRY(const std::string entries, read_file(build.output / kNvrtcEntry));
  std::string names;
  std::size_t i = 0;
  for (const auto entry : std::views::split(std::string_view(entries), '\n')) {
    if (i == stubs.size()) break;
    names +=
        fmt::format("{}\t{}\n", stubs[i++].symbol, std::string_view(entry.begin(), entry.end()));
  }
  const fs::path table = build.sources / "names";
  if (auto written = write_file_atomically(table, names + '\0'); !written) {
    return std::unexpected(std::move(written).error());
  }
  return std::vector<ExtensionFile>{{build.call.key, "image", build.output / kNvrtcModule},
                                    {build.call.key, "names", table}};
}

Result<std::vector<std::string>> CudaExtensionBuilder::symbols(const Build& build, bool demangled) {
  std::vector<std::string> arguments = {"-D", "--defined-only", "-p", "--just-symbols"};
  if (demangled) arguments.emplace_back("-C");
  arguments.push_back(build.library().string());
  ASSAY_TRY(const process::CapturedRun listed,
            run(build, compiler_.path.parent_path() / "nm", std::move(arguments)));
  if (!succeeded(listed)) {
    return fail(ErrorCode::unavailable, "nm " + describe_end(listed) + ": " + listed.output);
  }
  std::vector<std::string> lines;
  for (const auto line : std::views::split(std::string_view(listed.output), '\n')) {
    lines.emplace_back(line.begin(), line.end());
  }
  return lines;
}

/// nvcc reads torch's headers anew for every source: a minute for all of them.
Result<std::variant<BuiltExtension, Compilation>> CudaExtensionBuilder::as_a_whole(
    const Build& build, const std::string& reason) {
  if (!cuda_.toolkit.nvcc) return rejected(reason + "\nnvcc, which might do better, is not here\n");
  std::vector<fs::path> objects = {simt::torch_binding_object(toolchain_.get().directory())};
  std::vector<Unit> units;
  for (std::size_t i = 0; i < build.call.sources.size(); ++i) {
    const ExtensionSource& source = build.call.sources[i];
    // Numbered: two folders of the author may have files of one name.
    units.push_back({.source = build.sources / fmt::format("{}-{}", i, source.name),
                     .object = build.object(i),
                     .by_nvcc = source.is_cuda});
    objects.push_back(build.object(i));
    const std::string text = fmt::format("#line 1 \"{}\"\n{}", source.name, source.text);
    if (auto written =
            write_file_atomically(units[i].source, with_macros(build.call, source.is_cuda, text));
        !written) {
      return std::unexpected(std::move(written).error());
    }
  }
  // A source that a few do not suffice mostly has mistakes, which nvcc finds before it has compiled
  // anything: a try in between would cost those more than it saves the others.
  ASSAY_TRY(const auto failed, compile_units(build, units, {kFew, kAll}));
  if (failed) return failure_of(failed->run, build.shown(failed->run.output));
  ASSAY_TRY(const process::CapturedRun linked,
            run(build, compiler_.path, link_command(build, objects)));
  if (!succeeded(linked)) return failure_of(linked, build.shown(linked.output));
  return BuiltExtension{.files = {{build.call.key, "library", build.library()}},
                        .log = fmt::format("extension '{}' was compiled by nvcc as a whole: {}\n",
                                           build.call.name, reason)};
}

Result<process::CapturedRun> CudaExtensionBuilder::run(const Build& build, const fs::path& program,
                                                       std::vector<std::string> arguments) const {
  CompilerCall call{.program = program,
                    .standalone = program == cuda_.executable,
                    .nvidia = true,
                    .arguments = std::move(arguments),
                    .working_directory = build.sources,
                    .readable = cuda_.toolkit.directories(),
                    .writable = {build.output},
                    .limits = kExtensionLimits};
  call.limits.file_bytes = kLargestExtension;
  std::ranges::copy(
      outside_usr({toolchains_, build.sources, interpreter_.torch_directory, interpreter_.headers}),
      std::back_inserter(call.readable));
  return run_compiler(call, jails_, build.deadline, build.stop);
}

std::vector<std::string> CudaExtensionBuilder::host_command(simt::TorchHeaders headers) {
  const fs::path& tools = toolchain_.get().directory();
  std::vector<std::string> command;
  if (headers != kAll) command = stand_in_flags(tools);
  std::ranges::move(host_flags(interpreter_, cuda_, tools, headers), std::back_inserter(command));
  command.insert(command.end(),
                 {"-include", kExtensionPrelude, "-include",
                  headers == kAll ? "torch/extension.h" : simt::kTorchBinding, "-x", "c++"});
  return command;
}

std::vector<std::string> CudaExtensionBuilder::nvcc_command(const ExtensionCall& call,
                                                            simt::TorchHeaders headers) {
  const fs::path& tools = toolchain_.get().directory();
  std::vector<std::string> command;
  if (headers == kFew) command = simt::few_headers_flags(tools);
  if (headers != kAll) {
    std::ranges::move(stand_in_flags(tools), std::back_inserter(command));
    command.insert(command.end(),
                   {"-DTORCH_API_INCLUDE_EXTENSION_H", "-I", (tools / "include").string(),
                    "-include", kExtensionTorch, "-include", simt::kTorchBinding});
  }
  command.insert(command.end(),
                 {"-std=c++20", "--expt-relaxed-constexpr", "-Xcompiler", "-fPIC",
                  fmt::format("-arch=sm_{}{}", cuda_.device.major, cuda_.device.minor)});
  std::ranges::copy(kTorchMacros, std::back_inserter(command));
  std::ranges::copy(call.cuda_cflags, std::back_inserter(command));
  if (call.instrumented) command.emplace_back(kLineInfo);
  std::ranges::move(include_flags(interpreter_, cuda_), std::back_inserter(command));
  return command;
}

std::vector<std::string> CudaExtensionBuilder::link_command(
    const Build& build, const std::vector<fs::path>& objects) const {
  std::vector<std::string> command = {"-shared", "-o", build.library().string()};
  for (const fs::path& object : objects) command.push_back(object.string());
  // The process that loads it has torch and NVIDIA's runtime already; which copy, it knows best.
  command.insert(command.end(),
                 {"-L" + (interpreter_.torch_directory / "lib").string(), "-lc10", "-ltorch_cpu",
                  "-ltorch", "-ltorch_python", "-lc10_cuda", "-ltorch_cuda"});
  return command;
}

std::string CudaExtensionBuilder::describe() const {
  return fmt::format("{}; {}, NVRTC for sm_{}{}", interpreter_.describe(), compiler_.name(),
                     cuda_.device.major, cuda_.device.minor);
}

}  // namespace assay::compile
