#include <algorithm>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/embedded_file.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/contract_draft.hpp"
#include "cli/embedded_files.hpp"
#include "compile/kernel_signature.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::optional<fs::path> kernel;
  std::optional<std::string> kernel_name;
  std::vector<std::string> kinds;  // folders of start_files; one at most
  fs::path directory = ".";
  bool force = false;
};

Result<void> write_new(const fs::path& path, std::string_view text, bool force) {
  if (!force && fs::exists(path)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} exists: --force writes over it", path.string()));
  }
  return write_file_atomically(path, text);
}

std::string line_of(const wire::Value& argument) {
  if (argument["type"].text() != "tensor") {
    return fmt::format("  {:<10} {} {}\n", argument["name"].text(), argument["type"].text(),
                       argument["value"].dump());
  }
  const wire::Value& spec = argument["tensor_spec"];
  return fmt::format("  {:<10} {} {} {}\n", argument["name"].text(), argument["role"].text(),
                     spec["dtype"].text(), spec["shape"].dump());
}

/// Brackets of templates mean something to a shell.
std::string for_shell(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](char c) { return is_word(c) || c == ':'; });
  return is_plain ? name : "'" + name + "'";
}

Result<std::string> draft_for(const InitOptions& options) {
  ASSAY_TRY(const std::string source, read_file(*options.kernel));
  if (options.kernel->extension() == ".py") {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is Python: a model says with get_inputs() what it is called with. "
                            "Contracts are drafted for .cu files",
                            options.kernel->string()));
  }
  const auto found =
      compile::kernel_signature(without_byte_order_mark(source), options.kernel_name);
  if (!found) {
    return fail(found.error().code(),
                fmt::format("{}: {}", options.kernel->string(), found.error().message()));
  }
  const compile::KernelSignature& signature = *found;
  ASSAY_TRY(const wire::Value contract, draft_contract(signature));
  const fs::path path = fs::path(*options.kernel).replace_extension(".io.json");
  if (auto written = write_new(path, contract.dump(/*pretty=*/true) + "\n", options.force);
      !written) {
    return std::unexpected(std::move(written).error());
  }
  std::string text =
      fmt::format("wrote {}: what {} is called with\n", path.string(), signature.name);
  for (const wire::Value& argument : contract["args"].elements()) text += line_of(argument);
  const std::string name =
      options.kernel_name ? fmt::format(" --kernel-name {}", for_shell(*options.kernel_name)) : "";
  return text + fmt::format(
                    "Shapes, numbers and launch are guesses: look at them. Then:\n"
                    "  assay evaluate {}{}\n  assay compare REFERENCE {}{}\n",
                    options.kernel->string(), name, options.kernel->string(), name);
}

Result<std::string> write_start(const InitOptions& options) {
  const std::string folder = (options.kinds.empty() ? "cuda" : options.kinds.front()) + "/";
  std::vector<fs::path> sources;
  std::error_code failure;
  fs::create_directories(options.directory, failure);
  if (failure) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the directory {} cannot be made: {}", options.directory.string(),
                            failure.message()));
  }
  std::string text;
  for (const EmbeddedFile& file : start_files()) {
    if (!file.path.starts_with(folder)) continue;
    const fs::path path = (options.directory / file.path.substr(folder.size())).lexically_normal();
    if (auto written = write_new(path, file.content, options.force); !written) {
      return std::unexpected(std::move(written).error());
    }
    text += fmt::format("wrote {}\n", path.string());
    if (path.extension() != ".json") sources.push_back(path);
  }
  return text + fmt::format("Judge the candidate with:\n  assay compare {} {}\n",
                            sources.at(0).string(), sources.at(1).string());
}

int init(const InitOptions& options) {
  const auto done = options.kernel ? draft_for(options) : write_start(options);
  if (!done) return report(done.error());
  fmt::print("{}", *done);
  return kSuccess;
}

}  // namespace

void add_init(CLI::App& app) {
  auto* command = app.add_subcommand(
      "init", "Draft the contract of a kernel, or write a reference and a candidate to begin with");
  auto options = std::make_shared<InitOptions>();  // shared with the callback
  auto* kernel = command
                     ->add_option("KERNEL", options->kernel,
                                  "A .cu file: its contract is drafted from the signature")
                     ->check(CLI::ExistingFile);
  command->add_option("--kernel-name", options->kernel_name, "Which kernel of the source is meant")
      ->needs(kernel);
  for (const char* kind : {"cuda", "torch", "triton", "torch-cuda"}) {
    std::string folder = kind;
    if (folder == "torch-cuda") folder = "torch_cuda";
    command
        ->add_flag_callback(
            fmt::format("--{}", kind), [options, folder] { options->kinds.push_back(folder); },
            fmt::format("Write a reference and a {} candidate that pass", folder))
        ->excludes(kernel);
  }
  auto* directory = command
                        ->add_option("--directory,-d", options->directory,
                                     "Where to write a reference and a candidate")
                        ->capture_default_str();
  command->add_flag("--force", options->force, "Write over files that exist");
  command->footer(
      "Examples:\n  assay init kernel.cu\n  assay init --triton --directory first\n  assay init");
  command->callback([options, directory] {
    if (options->kinds.size() > 1) {
      throw CLI::ValidationError(
          "init writes one pair of kernels: give one of --cuda, --torch, "
          "--triton and --torch-cuda");
    }
    if (options->kernel && !directory->empty()) {
      throw CLI::ValidationError(
          "--directory", "is for init without KERNEL: a contract is written beside its kernel");
    }
    throw CLI::RuntimeError(init(*options));
  });
}

}  // namespace assay::cli
