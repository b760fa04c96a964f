#include "worker/judge_check.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/random.hpp"
#include "cli/commands.hpp"

namespace assay::cli {
namespace {

struct Flags {
  std::filesystem::path device_code;
  std::size_t cases = 100;
  std::uint64_t seed = 0;
};

int check(const Flags& flags) {
  const std::uint64_t seed = flags.seed != 0 ? flags.seed : random_u64();
  const auto checked = worker::check_gpu_judge(flags.device_code, flags.cases, seed);
  if (!checked) return report(checked.error());
  fmt::print("{} cases of seed {}: the GPU and the processor agree, bit by bit\n", flags.cases,
             seed);
  return 0;
}

}  // namespace

void add_judge_check(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("judge-check", "Compare the GPU's judge with the processor's");
  command->group("");
  command
      ->add_option("--device-code", flags->device_code,
                   "Folder 'device_code' in a server's data directory")
      ->required();
  command->add_option("--cases", flags->cases, "Random tensors to make, change and compare");
  command->add_option("--seed", flags->seed, "Make the same cases again");
  command->callback([flags] { throw CLI::RuntimeError(check(*flags)); });
}

}  // namespace assay::cli
