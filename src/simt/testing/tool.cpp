// assay_simt_tool: compiles and runs CUDA sources on the CPU from the command line.
//   where                prints where the toolchain directory would be
//   commands             prints the commands that fill it
//   toolchain            prints the toolchain directory, making it if need be
//   translate FILE       prints the C++ that FILE becomes
//   build FILE PROGRAM   compiles a source with a main(); with --sanitize it is checked
//   check FILE           prints what FILE uses that cannot run here
//   extension TORCH PYTHON FILE LIBRARY
//                        compiles an extension of the torch package in the directory TORCH for the
//                        Python whose headers lie in PYTHON; its name is that of LIBRARY
#include <cstdio>
#include <exception>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "simt/testing/kept_program.hpp"
#include "simt/testing/local_builder.hpp"
#include "simt/toolchain.hpp"
#include "simt/torch_extension.hpp"
#include "simt/translate.hpp"
#include "simt/unsupported.hpp"

namespace {

namespace fs = std::filesystem;
using assay::Result;

Result<int> translate_file(const fs::path& file) {
  ASSAY_TRY(const std::string source, assay::read_file(file));
  assay::simt::TranslateOptions options;
  options.file_name = file.filename().string();
  ASSAY_TRY(const auto translation, assay::simt::translate(source, options));
  fmt::print("{}", translation.source);
  return 0;
}

Result<int> check_file(const fs::path& file) {
  ASSAY_TRY(const std::string source, assay::read_file(file));
  const auto found = assay::simt::find_unsupported(source);
  for (const auto& one : found) {
    fmt::print("{}:{}: unsupported: {}\n", file.string(), one.line, one.construct);
  }
  return found.empty() ? 0 : 3;
}

Result<int> build_file(const fs::path& file, const fs::path& program, bool sanitize) {
  ASSAY_TRY(const auto toolchain, assay::simt::testing::shared_toolchain());
  const auto variant = sanitize ? assay::simt::Variant::instrumented : assay::simt::Variant::plain;
  ASSAY_TRY(const auto built, assay::simt::testing::kept_program(toolchain, file, variant));
  fmt::print(stderr, "{}", built.log);
  if (!built.compiled) return 1;
  fs::copy_file(built.file, program, fs::copy_options::overwrite_existing);
  return 0;
}

Result<assay::simt::TorchPlace> prepared_torch(const assay::simt::Toolchain& toolchain,
                                               const fs::path& torch, const fs::path& python,
                                               assay::simt::Variant variant) {
  assay::simt::TorchPlace place{
      .include = {torch / "include", torch / "include/torch/csrc/api/include", python},
      .library = torch / "lib",
      .prepared = toolchain.directory / "torch"};
  constexpr auto kPlain = assay::simt::Variant::plain;
  constexpr auto kLean = assay::simt::TorchHeaders::lean;
  const fs::path header = assay::simt::torch_header(place, kPlain, kLean);
  fs::create_directories(header.parent_path());
  std::vector<assay::simt::Command> missing;
  // Checked extensions are rare: for them the headers are read each time.
  if (!fs::exists(header) && variant == kPlain) {
    missing.push_back(assay::simt::torch_header_command(toolchain, place, kPlain, kLean));
  }
  if (!fs::exists(assay::simt::torch_binding_object(place.prepared))) {
    missing.push_back(assay::simt::torch_binding_command(toolchain, place));
  }
  for (const auto& command : missing) {
    ASSAY_TRY(const auto run, assay::simt::testing::run_command(command, toolchain.directory));
    if (run.exit_code != 0) return assay::fail(assay::ErrorCode::internal, run.output);
  }
  return place;
}

Result<int> build_extension(const fs::path& torch, const fs::path& python, const fs::path& file,
                            const fs::path& library, assay::simt::Variant variant) {
  ASSAY_TRY(const std::string source, assay::read_file(file));
  ASSAY_TRY(const auto toolchain, assay::simt::testing::shared_toolchain());
  ASSAY_TRY(const auto place, prepared_torch(toolchain, torch, python, variant));
  ASSAY_TRY(const auto scratch, assay::TempDir::create(fs::temp_directory_path(), "simt-"));
  ASSAY_TRY(const auto translation,
            assay::simt::translate(source, {.file_name = fs::absolute(file).string(),
                                            .module = false,
                                            .name_expressions = {},
                                            .torch = true}));
  const fs::path text = scratch.path() / "translated.cpp";
  const fs::path object = scratch.path() / "translated.o";
  const std::string name =
      fmt::format("#define TORCH_EXTENSION_NAME {}\n", library.stem().string());
  if (auto written = assay::write_file_atomically(text, name + translation.source); !written) {
    return std::unexpected(std::move(written).error());
  }
  for (const auto& command :
       {assay::simt::torch_object_command(toolchain, place, variant, assay::simt::TorchHeaders::all,
                                          text, object),
        assay::simt::torch_link_command(toolchain, place, variant, {{object}},
                                        fs::absolute(library))}) {
    ASSAY_TRY(const auto run, assay::simt::testing::run_command(command, scratch.path()));
    fmt::print(stderr, "{}", run.output);
    if (run.exit_code != 0) return run.exit_code;
  }
  return 0;
}

Result<int> toolchain_directory() {
  ASSAY_TRY(const auto toolchain, assay::simt::testing::shared_toolchain());
  fmt::print("{}\n", toolchain.directory.string());
  return 0;
}

Result<int> toolchain_place() {
  ASSAY_TRY(const auto toolchain, assay::simt::testing::shared_toolchain_place());
  fmt::print("{}\n", toolchain.directory.string());
  return 0;
}

Result<int> print_commands() {
  ASSAY_TRY(const auto toolchain, assay::simt::testing::shared_toolchain_place());
  for (const auto& command : assay::simt::setup_commands(toolchain)) {
    fmt::print("{}\n", fmt::join(command, " "));
  }
  return 0;
}

Result<int> run(const std::vector<std::string_view>& words) {
  if (words.size() == 1 && words[0] == "commands") return print_commands();
  if (words.size() == 1 && words[0] == "where") return toolchain_place();
  if (words.size() == 1 && words[0] == "toolchain") return toolchain_directory();
  if (words.size() == 2 && words[0] == "translate") return translate_file(words[1]);
  if (words.size() == 2 && words[0] == "check") return check_file(words[1]);
  if (words.size() >= 3 && words[0] == "build") {
    return build_file(words[1], words[2], words.size() > 3 && words[3] == "--sanitize");
  }
  if (words.size() >= 5 && words[0] == "extension") {
    const bool checked = words.size() > 5 && words[5] == "--sanitize";
    return build_extension(
        words[1], words[2], words[3], words[4],
        checked ? assay::simt::Variant::instrumented : assay::simt::Variant::plain);
  }
  return assay::fail(
      assay::ErrorCode::invalid_argument,
      "usage: assay_simt_tool where | commands | toolchain | translate FILE | check FILE | "
      "build FILE PROGRAM [--sanitize] | extension TORCH PYTHON FILE LIBRARY [--sanitize]");
}

}  // namespace

int main(int argc, char** argv) try {
  const auto result = run(std::vector<std::string_view>(argv + 1, argv + argc));
  if (!result) fmt::print(stderr, "{}\n", result.error().message());
  return result ? *result : 2;
} catch (const std::exception& thrown) {
  std::fputs(thrown.what(), stderr);
  return 2;
}
