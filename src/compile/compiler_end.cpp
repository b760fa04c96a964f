#include "compile/compiler_end.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "compile/backend.hpp"
#include "model/verdict.hpp"
#include "process/exit_status.hpp"
#include "process/run_captured.hpp"

namespace assay::compile {

std::string with_notes(const std::vector<std::string>& notes, std::string_view log) {
  return fmt::format("{}{}{}", fmt::join(notes, "\n"), notes.empty() ? "" : "\n", log);
}

Compilation rejected(std::string log, bool lasting) {
  return {.record = Verdict(DidNotCompile{.log = std::move(log)}), .lasting = lasting};
}

bool is_plain_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::symlink_status(path, ignored).type() ==
         std::filesystem::file_type::regular;
}

Compilation failure_of(const process::CapturedRun& run, std::string log) {
  if (!run.status) {
    const auto limit = std::chrono::ceil<std::chrono::milliseconds>(run.elapsed);
    return {.record = Verdict(TimedOut{.limit = limit, .phase = "building"}), .lasting = false};
  }
  if (const auto* memory = std::get_if<process::OverMemory>(&*run.status)) {
    return rejected(fmt::format("{}error: the compiler needed more than {} MiB of memory\n", log,
                                memory->limit_bytes >> 20U),
                    false);
  }
  // The driver lives on, and exits as for any error, when the compiler proper is killed for what
  // it used; that may end differently another time.
  const bool killed = run.output.find(" terminated program ") != std::string::npos;
  if (killed || log.empty()) {
    log += fmt::format("error: the compiler {}{}\n", process::describe(*run.status),
                       killed ? ": it used too much time, memory or disk" : "");
  }
  return rejected(std::move(log), !killed && std::holds_alternative<process::Exited>(*run.status));
}

}  // namespace assay::compile
