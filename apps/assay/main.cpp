#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "base/unique_fd.hpp"
#include "cli/commands.hpp"
#include "compile/nvrtc_program.hpp"
#include "process/jail_init.hpp"
#include "runner/cuda_runner.hpp"
#include "runner/native_runner.hpp"

/// The one executable. The jail's init, the runners and NVRTC's compiler are parts of it that
/// people never call; they are told apart before anything else happens, so that they start fast.
int main(int argc, char** argv) {
  constexpr int kRunnerChannel = 3;
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == assay::process::kJailInitCommand)
    return assay::process::jail_init_main(argc, argv);
  if (command == "runner") return assay::runner::run_native_runner(assay::UniqueFd(kRunnerChannel));
  if (command == "cuda-runner")
    return assay::runner::run_cuda_runner(assay::UniqueFd(kRunnerChannel));
  if (command == assay::compile::kNvrtcCommand) {
    return assay::compile::nvrtc_compile_main(
        std::span(argv, static_cast<std::size_t>(argc)).subspan(2));
  }
  return assay::cli::run(argc, argv);
}
