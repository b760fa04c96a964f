#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/machine_memory.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/gpu_watch.hpp"
#include "cli/metrics_flags.hpp"
#include "compile/compiler.hpp"
#include "compile/cuda_toolkit.hpp"
#include "compile/python_backend.hpp"
#include "device/cpu_device.hpp"
#include "device/cuda_inventory.hpp"
#include "device/gpu_health.hpp"
#include "device/locked_clocks.hpp"
#include "device/nvml.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "process/jail_support.hpp"
#include "process/weak_jail.hpp"
#include "profile/engines.hpp"
#include "python/interpreter.hpp"
#include "wire/value.hpp"
#include "worker/python_command.hpp"
#include "worker/python_package.hpp"
#include "worker/python_zygote.hpp"

namespace assay::cli {
namespace {

struct Check {
  std::string name;
  bool ok;
  std::string detail;  // what was found, or why not
  std::string cost;    // what its absence means; empty where it is there
};

struct DoctorOptions {
  std::optional<std::filesystem::path> compiler;
  std::optional<std::filesystem::path> python;
  std::vector<std::filesystem::path> cuda_toolkits;
  std::optional<std::string> lock_clocks;  // to be tried: "base", or megahertz
  bool json = false;
};

/// The second jail around each Python kernel, which Python itself makes.
void add_inner_jail_checks(const python::Interpreter& python, const process::JailSupport& jails,
                           const Clock& clock, std::vector<Check>& checks) {
  constexpr const char* kCost =
      "Python kernels can reach more of each other; allow namespaces inside namespaces";
  const auto probe = [&]() -> Result<process::PartNames> {
    ASSAY_TRY(const TempDir folder,
              TempDir::create(std::filesystem::temp_directory_path(), "doctor-"));
    ASSAY_TRY(auto package, worker::write_python_package(folder.path()));
    const worker::PythonOptions options{
        .interpreter = python, .package = std::move(package), .device = {}, .limits = {}};
    return worker::probe_inner_jail(options, jails, clock);
  };
  const auto missing = probe();
  if (!missing) {
    checks.push_back({"jail: python", false, missing.error().message(), kCost});
  } else if (missing->empty()) {
    checks.push_back({"jail: python", true, "every part", ""});
  } else {
    for (const std::string& part : *missing) {
      checks.push_back({"jail: " + part, false, "not allowed inside another jail", kCost});
    }
  }
}

void add_python_checks(const DoctorOptions& options, const process::JailSupport& jails,
                       const Clock& clock, std::vector<Check>& checks) {
  const auto python = python::find_interpreter(options.python, jails, clock);
  for (const KernelType type :
       {KernelType::torch, KernelType::torch_cuda, KernelType::triton, KernelType::multi_kernel}) {
    const std::string lack =
        python ? compile::what_is_missing(*python, type) : python.error().message();
    checks.push_back({fmt::format("kernel type: {}", to_string(type)), lack.empty(),
                      lack.empty()
                          ? fmt::format("{} at {}", python->describe(), python->program.string())
                          : lack,
                      lack.empty() ? ""
                                   : fmt::format("{} kernels get the verdict unsupported; `assay "
                                                 "setup python` makes a Python that has it, "
                                                 "--python names another",
                                                 to_string(type))});
  }
  if (python && !python->torch.empty()) add_inner_jail_checks(*python, jails, clock, checks);
}

/// Nsight Compute, and whether the driver lets others than administrators read counters.
void add_metrics_checks(std::vector<Check>& checks) {
  const profile::Engine ncu = find_ncu();
  checks.push_back({"device metrics: ncu", ncu.path.has_value(), ncu.told,
                    ncu.path ? ""
                             : "requests with device_metrics get the status no_profiler; "
                               "install Nsight Compute, or name it with --ncu"});
  const profile::Engine sanitizer = find_compute_sanitizer();
  checks.push_back({"sanitizers: compute-sanitizer", sanitizer.path.has_value(), sanitizer.told,
                    sanitizer.path
                        ? ""
                        : "the server's cpu device, if it has one, does what sanitize asks for; "
                          "install compute-sanitizer from the CUDA toolkit, or name it with "
                          "--compute-sanitizer"});
  if (!counters_are_restricted()) {
    checks.push_back({"device metrics: counters", true, "open to everybody", ""});
    return;
  }
  const bool is_root = ::geteuid() == 0;
  checks.push_back({"device metrics: counters", is_root,
                    is_root ? "for administrators alone; the jailed profiler keeps CAP_PERFMON"
                            : "for administrators alone",
                    is_root ? ""
                            : "device_metrics gets the status forbidden; load the driver with "
                              "NVreg_RestrictProfilingToAdminUsers=0 or run the server as root"});
}

/// Locks them for a moment. That is asked for, because it takes other locks off the GPU.
void add_clock_check(const DeviceInfo& gpu, const std::string& at, std::vector<Check>& checks) {
  const auto locked = [&]() -> Result<void> {
    ASSAY_TRY(const auto choice, device::parse_clock_choice(at));
    ASSAY_TRY(const auto nvml, device::Nvml::open());
    ASSAY_TRY(const auto held, device::LockedClocks::lock(nvml, gpu.uuid, choice));
    return {};
  }();
  checks.push_back({fmt::format("clocks: {}", gpu.id.value), locked.has_value(),
                    locked ? fmt::format("can be locked at {}", at) : locked.error().message(),
                    locked ? "" : "--lock-clocks locks nothing, and results say so"});
}

void add_gpu_checks(const DoctorOptions& options, const process::JailSupport& jails,
                    const Clock& clock, std::vector<Check>& checks) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto gpus = device::find_cuda_devices(
      visible == nullptr ? std::nullopt : std::optional<std::string>(visible));
  if (gpus.devices.empty()) {
    checks.push_back({"device: cuda", false, gpus.why_none, "kernels run on the cpu device"});
    return;
  }
  const auto watch = GpuWatch::open(gpus.devices);
  for (const DeviceInfo& gpu : gpus.devices) {
    const auto health = watch == nullptr ? std::nullopt : watch->look(gpu);
    const auto fault = health ? health->fault : std::nullopt;
    checks.push_back({fmt::format("device: {}", gpu.id.value), !fault,
                      fmt::format("{}, {} multiprocessors, {} (one kernel may hold {}, its tensors "
                                  "{}), compute {}.{}, driver {}{}",
                                  gpu.name, gpu.units, gibibytes(gpu.memory_bytes),
                                  gibibytes(share_for_kernel(gpu.memory_bytes)),
                                  gibibytes(share_for_tensors(gpu.memory_bytes)), gpu.compute.major,
                                  gpu.compute.minor, gpu.driver,
                                  health ? "" : "; its health cannot be read: NVML is missing"),
                      fault ? *fault : ""});
    if (options.lock_clocks) add_clock_check(gpu, *options.lock_clocks, checks);
  }
  std::vector<std::filesystem::path> roots = options.cuda_toolkits;
  if (const auto python = python::find_interpreter(options.python, jails, clock)) {
    roots.push_back(python->program.parent_path().parent_path());
  }
  const auto toolkit = compile::find_cuda_toolkit(roots);
  checks.push_back({"kernel type: cuda on cuda", toolkit.has_value(),
                    toolkit
                        ? fmt::format("{}{}", toolkit->nvrtc.string(),
                                      toolkit->nvcc ? ", " + toolkit->nvcc->string() : ", no nvcc")
                        : toolkit.error().message(),
                    toolkit ? "" : "cuda kernels get the verdict unsupported on GPUs"});
  add_metrics_checks(checks);
}

std::vector<Check> examine(const DoctorOptions& options) {
  const SystemClock clock;
  const process::JailSupport jails = process::probe_jail_support();
  std::vector<Check> checks;
  checks.reserve(jails.parts.size());
  for (const process::JailPartStatus& part : jails.parts) {
    checks.push_back(
        {fmt::format("jail: {}", to_string(part.part)), part.available, part.detail, part.cost});
  }
  checks.push_back(
      {"jail: landlock", jails.landlock > 0,
       jails.landlock > 0 ? fmt::format("version {}", jails.landlock)
                          : std::string("the kernel has none"),
       jails.landlock > 0 ? "" : "jails lack a second guard of files; the first one works"});
  const auto device = device::cpu_device();
  checks.push_back({"device: cpu", device.has_value(),
                    device ? fmt::format("{}, {} cores, {}", device->name, device->units,
                                         gibibytes(device->memory_bytes))
                           : device.error().message(),
                    device ? "" : "no kernel can run"});
  checks.push_back({"memory", true,
                    fmt::format("a runner may use {}, the tensors of one kernel {} on cpu",
                                gibibytes(share_of_memory(machine_memory())),
                                gibibytes(share_for_tensors(machine_memory()))),
                    ""});
  const auto compiler = compile::find_compiler(options.compiler, jails, clock);
  checks.push_back({"kernel type: cuda on cpu", compiler.has_value(),
                    compiler ? fmt::format("{} at {}", compiler->name(), compiler->path.string())
                             : compiler.error().message(),
                    compiler ? ""
                             : "cuda kernels get the verdict unsupported; install g++ (Debian and "
                               "Ubuntu: apt-get install g++), or name a compiler with --compiler"});
  add_gpu_checks(options, jails, clock, checks);
  add_python_checks(options, jails, clock, checks);
  return checks;
}

int diagnose(const DoctorOptions& options) {
  const std::vector<Check> checks = examine(options);
  if (options.json) {
    wire::Value::Elements list;
    for (const Check& check : checks) {
      wire::Value::Members entry = {
          {"check", check.name}, {"ok", check.ok}, {"detail", check.detail}};
      if (!check.cost.empty()) entry.emplace_back("cost", check.cost);
      list.push_back(std::move(entry));
    }
    const wire::Value report =
        wire::Value::Members{{"version", version()}, {"checks", std::move(list)}};
    fmt::print("{}\n", report.dump(/*pretty=*/true));
    return kSuccess;
  }
  fmt::print("assay {}\n", version());
  for (const Check& check : checks) {
    fmt::print("{:<7} {:<26} {}\n", check.ok ? "ok" : "MISSING", check.name, check.detail);
    if (!check.cost.empty()) fmt::print("{:<7} {:<26} -> {}\n", "", "", check.cost);
  }
  if (!std::ranges::all_of(checks, &Check::ok)) {
    fmt::print("docs/troubleshooting.md says what to do about each line\n");
  }
  return kSuccess;
}

}  // namespace

void add_doctor(CLI::App& app) {
  auto* command = app.add_subcommand(
      "doctor", "Say what was found, what is missing, and what does not work without it");
  auto options = std::make_shared<DoctorOptions>();  // shared with the callback
  command->add_option("--compiler", options->compiler, "C++ compiler for the cpu device")
      ->envname("ASSAY_COMPILER");
  command->add_option("--python", options->python, "Python for Python kernels")
      ->envname("ASSAY_PYTHON");
  command->add_option("--cuda-toolkit", options->cuda_toolkits, "CUDA toolkits to look into first")
      ->delimiter(':')
      ->envname("ASSAY_CUDA_TOOLKIT");
  command->add_option("--lock-clocks", options->lock_clocks,
                      "Try for a moment whether the clocks of GPUs can be locked: at base, or at "
                      "so many megahertz");
  command->add_flag("--json", options->json, "Print as JSON");
  command->footer("Examples:\n  assay doctor\n  assay doctor --compiler g++-13 --json");
  command->callback([options] { throw CLI::RuntimeError(diagnose(*options)); });
}

}  // namespace assay::cli
