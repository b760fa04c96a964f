// What a Python kernel waits for: a runner that is forked, its first line in a runner that stood
// ready, the runner's end; beside them, a fresh interpreter that imports torch.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <benchmark/benchmark.h>

#include "base/clock.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "eval/runner.hpp"
#include "process/jail_init.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "python/interpreter.hpp"
#include "ratio_reporter.hpp"
#include "worker/python_package.hpp"
#include "worker/python_process.hpp"
#include "worker/python_zygote.hpp"

namespace assay::worker {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::string_view kLoad =
    R"({"op":"load","python":{"type":"torch","seed":1,"device":"cpu","metadata":{},)"
    R"("source":"def kernel(x): return x"}})";

template <class T>
T need(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().message().c_str());
  std::quick_exit(1);
}

/// Everything that is made once: the interpreter, and the zygote in its jail.
class Setting {
 public:
  Setting()
      : support(process::probe_jail_support()),
        directory(need(TempDir::create(std::filesystem::temp_directory_path(), "bench-"))) {
    const char* named = std::getenv("ASSAY_PYTHON");
    std::optional<std::filesystem::path> program;
    if (named != nullptr) program = named;
    interpreter = need(python::find_interpreter(program, support, clock));
    zygote = need(PythonZygote::start(
        {.interpreter = interpreter, .package = need(write_python_package(directory.path()))},
        support));
  }
  [[nodiscard]] eval::Bounds bounds() const {
    return {.deadline = Deadline(clock, std::chrono::minutes(1)), .stop = {}};
  }

  SystemClock clock;
  process::JailSupport support;
  TempDir directory;
  python::Interpreter interpreter;
  std::unique_ptr<PythonZygote> zygote;
};

Setting& setting() {
  static Setting instance;
  return instance;
}

/// Runs `measured` and tells the benchmark how long that took, whatever else the iteration does.
template <class Measured>
void measure(benchmark::State& state, Measured measured) {
  const auto start = std::chrono::steady_clock::now();
  measured();
  state.SetIterationTime(Seconds(std::chrono::steady_clock::now() - start).count());
}

void fork_to_ready(benchmark::State& state) {
  for (auto _ : state) {
    std::unique_ptr<PythonProcess> runner;
    measure(state, [&] { runner = need(setting().zygote->fork()); });
  }
}

void ready_to_first_line(benchmark::State& state) {
  for (auto _ : state) {
    const auto runner = need(setting().zygote->fork());
    measure(state, [&] {
      if (!runner->call(kLoad, {}, setting().bounds())) std::quick_exit(1);
    });
  }
}

void end_of_a_runner(benchmark::State& state) {
  for (auto _ : state) {
    auto runner = need(setting().zygote->fork());
    (void)runner->call(kLoad, {}, setting().bounds());
    measure(state, [&] { runner.reset(); });
  }
}

void fresh_interpreter(benchmark::State& state) {
  const process::Command command{
      .argv = {setting().interpreter.program.string(), "-I", "-c", "import torch"},
      .environment = {"PATH=/usr/bin:/bin"}};
  for (auto _ : state) {
    measure(state, [&] {
      auto child = need(process::Subprocess::spawn(command, setting().support));
      (void)need(child.wait({}, setting().bounds().deadline));
    });
  }
}

BENCHMARK(fork_to_ready)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(20);
BENCHMARK(ready_to_first_line)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(20);
BENCHMARK(end_of_a_runner)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(20);
BENCHMARK(fresh_interpreter)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(3);

}  // namespace

void prepare() {
  (void)setting();
}

}  // namespace assay::worker

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == assay::process::kJailInitCommand) {
    return assay::process::jail_init_main(argc, argv);
  }
  assay::worker::prepare();  // or the first iteration would pay for it
  return assay::bench::run_against("fresh_interpreter", argc, argv);
}
