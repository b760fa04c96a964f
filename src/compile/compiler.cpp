#include "compile/compiler.hpp"

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "compile/compiler_run.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::array kUsualPlaces = {"/usr/bin/g++", "/usr/local/bin/g++", "/usr/bin/clang++",
                                     "/usr/local/bin/clang++"};

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

Result<fs::path> locate(const std::optional<fs::path>& configured) {
  if (configured) {
    if (is_program(*configured)) return fs::absolute(*configured);
    return fail(ErrorCode::not_found, "no C++ compiler at " + configured->string());
  }
  for (const char* path : kUsualPlaces) {
    if (is_program(path)) return fs::path(path);
  }
  return fail(ErrorCode::not_found, "no C++ compiler found: install g++");
}

Result<std::string> ask(const fs::path& program, std::vector<std::string> question,
                        const process::JailSupport& jails, const Clock& clock) {
  const CompilerCall call{.program = program, .arguments = std::move(question)};
  ASSAY_TRY(const process::CapturedRun run,
            run_compiler(call, jails, Deadline(clock, std::chrono::seconds(20)), {}));
  const std::string_view answer = std::string_view(run.output).substr(0, run.output.find('\n'));
  if (!succeeded(run) || answer.empty()) {
    return fail(ErrorCode::not_found, program.string() + " " + call.arguments[0] +
                                          " gave no answer: " + describe_end(run));
  }
  return std::string(answer);
}

}  // namespace

void Compiler::hash_into(Hasher& hasher) const {
  hasher.field(path.string()).field(version).field(banner).field(target);
}

Result<Compiler> find_compiler(const std::optional<fs::path>& configured,
                               const process::JailSupport& jails, const Clock& clock) {
  Compiler compiler;
  ASSAY_TRY(compiler.path, locate(configured));
  ASSAY_TRY(compiler.banner, ask(compiler.path, {"--version"}, jails, clock));
  ASSAY_TRY(compiler.version,
            ask(compiler.path, {"-dumpfullversion", "-dumpversion"}, jails, clock));
  ASSAY_TRY(compiler.target, ask(compiler.path, {"-dumpmachine"}, jails, clock));
  compiler.family = compiler.banner.find("clang") == std::string::npos ? "g++" : "clang++";
  return compiler;
}

}  // namespace assay::compile
