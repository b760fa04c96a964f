#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "base/result.hpp"
#include "cli/clock_holder.hpp"
#include "cli/commands.hpp"
#include "device/locked_clocks.hpp"
#include "device/nvml.hpp"

namespace assay::cli {
namespace {

struct HoldFlags {
  std::string gpu;
  std::string at;
};

void await_end_of_input() {
  std::array<char, 64> ignored{};
  while (::read(STDIN_FILENO, ignored.data(), ignored.size()) > 0) {
  }
}

Result<void> hold(const HoldFlags& flags) {
  ASSAY_TRY(const auto choice, device::parse_clock_choice(flags.at));
  ASSAY_TRY(const auto nvml, device::Nvml::open());
  ASSAY_TRY(const auto locked, device::LockedClocks::lock(nvml, flags.gpu, choice));
  fmt::print("{}\n", kHeld);
  std::fflush(stdout);
  await_end_of_input();
  return {};
}

int hold_until_told(const HoldFlags& flags) {
  // Only the end of whoever started this ends it. What stops a service stops all its processes.
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(ignored, SIG_IGN);
  const auto held = hold(flags);
  if (held) return kSuccess;
  fmt::print("{}\n", held.error().message());
  return kFailure;
}

}  // namespace

void add_hold_clocks(CLI::App& app) {
  auto* command = app.add_subcommand(
      kHoldClocks, "Hold a GPU's clocks until its input ends (started by the server)");
  command->group("");                          // not for people
  auto flags = std::make_shared<HoldFlags>();  // shared with the callback
  command->add_option("--gpu", flags->gpu)->required();
  command->add_option("--at", flags->at)->required();
  command->callback([flags] { throw CLI::RuntimeError(hold_until_told(*flags)); });
}

}  // namespace assay::cli
