#include "cli/engine_flags.hpp"

#include <cstdlib>

#include <CLI/CLI.hpp>

#include "cli/engine.hpp"
#include "cli/heading.hpp"
#include "cli/metrics_flags.hpp"

namespace assay::cli {

void add_engine_flags(CLI::App& command, EngineOptions& options) {
  const Heading heading(command, "This machine");
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) options.visible_gpus = visible;
  command
      .add_option("--devices", options.devices,
                  "Devices to use, separated by commas: cpu, cuda:0, cuda (every GPU), or auto "
                  "(every GPU, or cpu where there is none)")
      ->delimiter(',')
      ->envname("ASSAY_DEVICES")
      ->capture_default_str();
  command
      .add_option("--lock-clocks", options.lock_clocks,
                  "Hold the clocks of the GPUs for as long as this runs: base, or megahertz. Only "
                  "root may, and everybody who uses these GPUs feels it")
      ->envname("ASSAY_LOCK_CLOCKS");
  command.add_option("--compiler", options.compiler, "C++ compiler for the cpu device")
      ->envname("ASSAY_COMPILER");
  command
      .add_option("--python", options.python,
                  "Python with torch, triton and numpy, for Python kernels (default: the first "
                  "found that has them)")
      ->envname("ASSAY_PYTHON");
  command
      .add_option("--cuda-toolkit", options.cuda_toolkits,
                  "CUDA toolkits to look into before the usual places")
      ->delimiter(':')
      ->envname("ASSAY_CUDA_TOOLKIT");
  command
      .add_option("--cuda-include", options.cuda_includes,
                  "Directories of headers that cuda kernels may name with -I, such as CUTLASS")
      ->delimiter(':')
      ->envname("ASSAY_CUDA_INCLUDE");
  command
      .add_option(
          "--build-jobs", options.build_jobs,
          "Compilers that run at once (0: two if kernels run on the CPU, else all cores but two)")
      ->check(CLI::Range(0, 256))
      ->envname("ASSAY_BUILD_JOBS")
      ->capture_default_str();
  command
      .add_option("--build-cache", options.build_cache_bytes,
                  "Size of the build cache. Triton's files may take another half of it, stored "
                  "counters another eighth")
      ->transform(CLI::AsSizeValue(false))
      ->envname("ASSAY_BUILD_CACHE")
      ->capture_default_str();
  command
      .add_option("--runner-memory", options.runner_memory_bytes,
                  "Memory of one runner (default: a quarter of the machine's)")
      ->transform(CLI::AsSizeValue(false))
      ->envname("ASSAY_RUNNER_MEMORY")
      ->capture_default_str();
  command
      .add_option("--tensor-memory", options.tensor_memory_bytes,
                  "What the tensors of one kernel may hold (0: an eighth of the device's memory)")
      ->transform(CLI::AsSizeValue(false))
      ->envname("ASSAY_TENSOR_MEMORY")
      ->capture_default_str();
  command
      .add_option("--gpu-memory", options.gpu_memory_bytes,
                  "What one kernel may hold of its GPU's memory (0: three quarters of it)")
      ->transform(CLI::AsSizeValue(false))
      ->envname("ASSAY_GPU_MEMORY")
      ->capture_default_str();
  command
      .add_option("--worker-memory", options.worker_memory_bytes,
                  "Memory of the worker of a device, which holds what kernels should answer "
                  "(default: seven eighths of the machine's memory)")
      ->transform(CLI::AsSizeValue(false))
      ->envname("ASSAY_WORKER_MEMORY")
      ->capture_default_str();
  command
      .add_option("--spare-runners", options.spare_runners, "Runners kept ready for each device")
      ->check(CLI::Range(0, 64))
      ->envname("ASSAY_SPARE_RUNNERS")
      ->capture_default_str();
  add_metrics_flags(command, options.metrics);
  command
      .add_flag("--require-jail", options.require_jail,
                "Refuse to work where this machine forbids a part of the jail")
      ->envname("ASSAY_REQUIRE_JAIL");
  command
      .add_option("--allow-weak-jail", options.allow_weak_jail,
                  "Parts of the jail that may be missing all the same, by name")
      ->delimiter(',')
      ->envname("ASSAY_ALLOW_WEAK_JAIL");
}

}  // namespace assay::cli
