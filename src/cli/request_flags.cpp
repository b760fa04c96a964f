#include "cli/request_flags.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

using wire::Value;

constexpr std::size_t kMaxFile = std::size_t{64} << 20U;

Result<Value> read_json(const std::filesystem::path& path) {
  ASSAY_TRY(const std::string text, read_file(path, kMaxFile));
  auto value = Value::parse(text);
  if (!value) return fail(ErrorCode::invalid_argument, path.string() + " is not JSON");
  return value;
}

Result<std::string> kernel_type(const RequestFlags& flags, const std::filesystem::path& source) {
  if (flags.type) return *flags.type;
  if (source.extension() == ".cu") return "cuda";
  if (source.extension() == ".py") return "torch";
  return fail(ErrorCode::invalid_argument,
              fmt::format("{}: say what it is with --type", source.string()));
}

Result<Value> kernel_value(const RequestFlags& flags, const std::filesystem::path& path) {
  ASSAY_TRY(const std::string source, read_file(path, kMaxFile));
  ASSAY_TRY(const std::string type, kernel_type(flags, path));
  Value::Members kernel = {{"source_code", source}, {"kernel_type", type}};
  if (flags.io) {
    ASSAY_TRY(Value io, read_json(*flags.io));
    kernel.emplace_back("io", std::move(io));
  }
  if (flags.kernel_name) {
    kernel.emplace_back("metadata", Value::Members{{"kernel_name", *flags.kernel_name}});
  }
  return Value(std::move(kernel));
}

/// Flags given beside a request file win over what it says.
void set(Value::Members& members, std::string_view key, Value value) {
  for (auto& [name, held] : members) {
    if (name != key) continue;
    held = std::move(value);
    return;
  }
  members.emplace_back(key, std::move(value));
}

template <class T>
void set_if(Value::Members& members, std::string_view key, const std::optional<T>& value) {
  if (value) set(members, key, Value(*value));
}

}  // namespace

void add_request_flags(CLI::App& command, RequestFlags& flags, bool with_reference) {
  command
      .add_option("REQUEST", flags.request, "A whole request as JSON, as POST /v1/jobs takes it")
      ->check(CLI::ExistingFile);
  if (with_reference) {
    command.add_option("--reference,-r", flags.reference, "Source of the reference kernel")
        ->check(CLI::ExistingFile);
  }
  command.add_option("--candidate,-c", flags.candidate, "Source of the kernel to judge")
      ->check(CLI::ExistingFile);
  command.add_option("--io", flags.io, "The contract: arguments and launch, as JSON")
      ->check(CLI::ExistingFile);
  command.add_option("--type", flags.type,
                     "torch, torch_cuda, triton, cuda or multi_kernel (default: by file ending)");
  command.add_option("--kernel-name", flags.kernel_name, "Which kernel of the source to launch");
  command.add_option("--trials", flags.num_trials, "Timed runs");
  command.add_option("--timeout", flags.timeout, "Seconds the work may take");
  command.add_option("--rounds", flags.rounds, "Rounds of fresh inputs");
  command.add_option("--atol", flags.atol, "Absolute tolerance");
  command.add_option("--rtol", flags.rtol, "Relative tolerance");
  command.add_option("--seed", flags.seed,
                     "Seed of all inputs, to repeat a run: its provenance.seed, or a number");
  command.add_option("--device", flags.device, "Run on this device only");
  command.add_option("--sanitize", flags.sanitize, "Also look for: memory, race, init, sync")
      ->delimiter(',');
}

Result<std::string> request_body(const RequestFlags& flags) {
  Value::Members body;
  if (flags.request) {
    ASSAY_TRY(const Value request, read_json(*flags.request));
    body = request.members();
  } else if (!flags.candidate) {
    return fail(ErrorCode::invalid_argument, "give a REQUEST file, or --candidate with --io");
  }
  if (flags.reference) {
    ASSAY_TRY(Value kernel, kernel_value(flags, *flags.reference));
    set(body, "reference", std::move(kernel));
  }
  if (flags.candidate) {
    ASSAY_TRY(Value kernel, kernel_value(flags, *flags.candidate));
    set(body, "candidate", std::move(kernel));
  }
  set_if(body, "num_trials", flags.num_trials);
  set_if(body, "timeout", flags.timeout);
  set_if(body, "rounds", flags.rounds);
  set_if(body, "atol", flags.atol);
  set_if(body, "rtol", flags.rtol);
  set_if(body, "seed", flags.seed);
  set_if(body, "device", flags.device);
  if (!flags.sanitize.empty()) {
    set(body, "sanitize", Value::Elements(flags.sanitize.begin(), flags.sanitize.end()));
  }
  return Value(std::move(body)).dump();
}

}  // namespace assay::cli
