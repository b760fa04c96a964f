// What a fresh process costs: jailed, without a part of the jail, and without one.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include <benchmark/benchmark.h>

#include "base/clock.hpp"
#include "process/jail_init.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "ratio_reporter.hpp"

namespace assay::process {
namespace {

JailSupport without(std::initializer_list<JailPart> parts) {
  JailSupport support = probe_jail_support();
  for (JailPartStatus& status : support.parts) {
    for (const JailPart part : parts) {
      if (status.part == part) status.available = false;
    }
  }
  if (!support.has(JailPart::cgroup_memory)) support.cgroups.memory.reset();
  if (!support.has(JailPart::cgroup_pids)) support.cgroups.pids.reset();
  return support;
}

/// From spawn until the program and everything about it is gone.
void run_true(benchmark::State& state, const JailSupport& support, bool jailed) {
  const SystemClock clock;
  Command command{.argv = {"/bin/true"}};
  if (jailed) command.jail = JailProfile{.name = "bench"};
  for (auto _ : state) {
    auto child = Subprocess::spawn(command, support);
    if (!child || !child->wait({}, Deadline(clock, std::chrono::seconds(10)))) {
      std::fputs("a process could not be run\n", stderr);
      std::quick_exit(1);
    }
  }
}

void jailed(benchmark::State& state) {
  run_true(state, without({}), true);
}

void jailed_without_network_namespace(benchmark::State& state) {
  run_true(state, without({JailPart::network_namespace}), true);
}

void jailed_without_control_groups(benchmark::State& state) {
  run_true(state, without({JailPart::cgroup_memory, JailPart::cgroup_pids}), true);
}

void jailed_without_mounts(benchmark::State& state) {
  run_true(state, without({JailPart::mount_namespace, JailPart::private_proc}), true);
}

void not_jailed(benchmark::State& state) {
  run_true(state, without({}), false);
}

BENCHMARK(jailed)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(jailed_without_network_namespace)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(jailed_without_control_groups)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(jailed_without_mounts)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(not_jailed)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace assay::process

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == assay::process::kJailInitCommand) {
    return assay::process::jail_init_main(argc, argv);
  }
  return assay::bench::run_against("not_jailed", argc, argv);
}
