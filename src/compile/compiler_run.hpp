#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"

namespace assay::compile {

/// One run of a compiler. It reads hostile text. So it sees the system, what is bound here, and
/// nothing else. Paths inside are those outside.
struct CompilerCall {
  std::filesystem::path program;
  bool standalone = false;  // a program outside /usr that needs nothing of what lies around it
  bool nvidia = false;      // one of NVIDIA's, or one that runs them
  std::vector<std::string> arguments;
  std::filesystem::path working_directory = "/";
  std::vector<std::filesystem::path> readable;
  std::vector<std::filesystem::path> writable;
  process::Limits limits;
  std::size_t output_limit = std::size_t{64} * 1024;
};

/// Fails for reasons of ours alone. It is `cancelled` when stopped, and the compiler is then dead.
/// It is `unavailable` if somebody else killed the compiler, so that the attempt is repeated.
[[nodiscard]] Result<process::CapturedRun> run_compiler(const CompilerCall& call,
                                                        const process::JailSupport& jails,
                                                        const Deadline& deadline,
                                                        const std::stop_token& stop);

/// Makes the folders of a build, and those above them: one that its compilers read, and one that
/// they may write to.
[[nodiscard]] Result<void> lay_out_build(const std::filesystem::path& sources,
                                         const std::filesystem::path& output);

[[nodiscard]] bool succeeded(const process::CapturedRun& run);

/// For people: "exited with code 1", "ran out of time".
[[nodiscard]] std::string describe_end(const process::CapturedRun& run);

}  // namespace assay::compile
