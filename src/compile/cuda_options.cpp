#include "compile/cuda_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "compile/option_rules.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

enum class Meaning : std::uint8_t {
  define,
  undefine,
  include,
  pass,       // as it stands
  plain,      // passed on, with a value of letters and digits alone
  assembler,  // for ptxas: no value that could name a file
  architecture,
  library,
  already,  // always so here
  ignored,  // has no effect on the kernel itself
};

using Rule = OptionRule<Meaning>;
using Value = OptionValue;

// A longer name stands before any shorter one that it begins with.
constexpr auto kRules = std::to_array<Rule>({
    {"--define-macro", Value::required, Meaning::define},
    {"--undefine-macro", Value::required, Meaning::undefine},
    {"--include-path", Value::required, Meaning::include},
    {"--gpu-architecture", Value::required, Meaning::architecture},
    {"-arch", Value::required, Meaning::architecture},
    {"--gpu-code", Value::required, Meaning::architecture},
    {"-code", Value::required, Meaning::architecture},
    {"--generate-code", Value::required, Meaning::architecture},
    {"-gencode", Value::required, Meaning::architecture},
    {"--maxrregcount", Value::required, Meaning::plain},
    {"-maxrregcount", Value::required, Meaning::plain},
    {"--ptxas-options", Value::required, Meaning::assembler},
    {"-Xptxas", Value::required, Meaning::assembler},
    {"--std", Value::required, Meaning::plain},
    {"-std", Value::required, Meaning::plain},
    {"--ftz", Value::required, Meaning::plain},
    {"-ftz", Value::required, Meaning::plain},
    {"--prec-div", Value::required, Meaning::plain},
    {"-prec-div", Value::required, Meaning::plain},
    {"--prec-sqrt", Value::required, Meaning::plain},
    {"-prec-sqrt", Value::required, Meaning::plain},
    {"--fmad", Value::required, Meaning::plain},
    {"-fmad", Value::required, Meaning::plain},
    {"--use_fast_math", Value::none, Meaning::pass},
    {"-use_fast_math", Value::none, Meaning::pass},
    {"--extra-device-vectorization", Value::none, Meaning::pass},
    {"-extra-device-vectorization", Value::none, Meaning::pass},
    {"--generate-line-info", Value::none, Meaning::pass},
    {"-lineinfo", Value::none, Meaning::pass},
    {"--device-debug", Value::none, Meaning::pass},
    {"-G", Value::none, Meaning::pass},
    {"--restrict", Value::none, Meaning::pass},
    {"-restrict", Value::none, Meaning::pass},
    {"--device-as-default-execution-space", Value::none, Meaning::pass},
    {"-default-device", Value::none, Meaning::pass},
    {"--extended-lambda", Value::none, Meaning::pass},
    {"-extended-lambda", Value::none, Meaning::pass},
    {"--disable-warnings", Value::none, Meaning::pass},
    {"-w", Value::none, Meaning::pass},
    {"--expt-extended-lambda", Value::none, Meaning::already},
    {"-expt-extended-lambda", Value::none, Meaning::already},
    {"--expt-relaxed-constexpr", Value::none, Meaning::already},
    {"-expt-relaxed-constexpr", Value::none, Meaning::already},
    {"-m64", Value::none, Meaning::already},
    {"--relocatable-device-code", Value::required, Meaning::ignored},
    {"-rdc", Value::required, Meaning::ignored},
    {"--threads", Value::required, Meaning::ignored},
    {"--split-compile", Value::required, Meaning::ignored},
    {"--resource-usage", Value::none, Meaning::ignored},
    {"-res-usage", Value::none, Meaning::ignored},
    {"--compiler-options", Value::required, Meaning::ignored},
    {"-Xcompiler", Value::required, Meaning::ignored},
    {"--optimize", Value::required, Meaning::ignored},
    {"--shared", Value::none, Meaning::ignored},
    {"-shared", Value::none, Meaning::ignored},
    {"--debug", Value::none, Meaning::ignored},
    {"-g", Value::none, Meaning::ignored},
    {"-fPIC", Value::none, Meaning::ignored},
    {"-fpic", Value::none, Meaning::ignored},
    {"-ffast-math", Value::none, Meaning::ignored},
    {"-D", Value::either, Meaning::define},
    {"-U", Value::either, Meaning::undefine},
    {"-I", Value::either, Meaning::include},
    {"-O", Value::joined, Meaning::ignored},
    {"-W", Value::joined, Meaning::ignored},
    {"-l", Value::either, Meaning::library},
});

constexpr std::array kOnlyNvrtc = {"-default-device", "--device-as-default-execution-space"};

bool is_plain(std::string_view text, std::string_view also) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || also.find(c) != also.npos;
  });
}

bool is_below(const fs::path& path, const fs::path& directory) {
  const auto [end, rest] = std::ranges::mismatch(directory, path);
  return end == directory.end();
}

class CudaReader final : public OptionReader<Meaning, CudaOptions> {
 public:
  CudaReader(CudaCompiler compiler, ComputeCapability device, std::span<const fs::path> includes)
      : OptionReader(kRules),
        compiler_(compiler),
        architecture_(fmt::format("sm_{}{}", device.major, device.minor)),
        includes_(includes) {}

  [[nodiscard]] const std::string& architecture() const { return architecture_; }

 private:
  void apply(const Rule& rule, std::string_view value, std::string_view option) override {
    switch (rule.meaning) {
      case Meaning::define:
        if (!is_macro(value)) return refuse(option, "does not name a macro");
        return pass(fmt::format("-D{}", value));
      case Meaning::undefine:
        if (!is_macro(value)) return refuse(option, "does not name a macro");
        return pass(fmt::format("-U{}", value));
      case Meaning::include:
        return include(value, option);
      case Meaning::pass:
        if (compiler_ == CudaCompiler::nvcc &&
            std::ranges::find(kOnlyNvrtc, option) != kOnlyNvrtc.end()) {
          return note(option, "has no effect on nvcc");
        }
        return pass(std::string(option));
      case Meaning::plain:
        if (!is_plain(value, "+")) return refuse(option, "has a value that makes no sense");
        return pass(fmt::format("{}={}", rule.name, value));
      case Meaning::assembler:
        if (!is_plain(value, "-=,_")) return refuse(option, "would name a file to the assembler");
        return pass(fmt::format("--ptxas-options={}", value));
      case Meaning::architecture:
        return architecture(value, option);
      case Meaning::library:
        if (!is_cuda_library(value)) {
          return refuse(option, "names a library that is not available here");
        }
        return;
      case Meaning::already:
        return;
      case Meaning::ignored:
        return note(option, "has no effect on the kernel");
    }
  }

  void include(std::string_view path, std::string_view option) {
    const fs::path normal = fs::path(path).lexically_normal();
    const bool allowed =
        is_below(normal, "/usr/include") ||
        std::ranges::any_of(includes_, [&](const fs::path& dir) { return is_below(normal, dir); });
    if (!allowed) return refuse(option, "names a directory outside what a build may see");
    pass(fmt::format("-I{}", normal.string()));
  }

  /// The kernel runs on one device alone, so only the variant with that device's own features
  /// ("sm_90a") is worth asking for.
  void architecture(std::string_view value, std::string_view option) {
    if (!is_plain(value, "_=,")) return refuse(option, "does not name an architecture");
    for (const char* suffix : {"a", "f"}) {
      const std::string variant = architecture_ + suffix;
      const std::string feature = "compute_" + variant.substr(3);
      if (value.find(variant) == value.npos && value.find(feature) == value.npos) continue;
      architecture_ = variant;
      return;
    }
    if (value == "native" || value.find(architecture_) != value.npos) return;
    note(option, fmt::format("is read as {}, which the device has", architecture_));
  }

  CudaCompiler compiler_;
  std::string architecture_;
  std::span<const fs::path> includes_;
};

}  // namespace

std::variant<CudaOptions, RefusedOption> cuda_options(std::span<const std::string> options,
                                                      CudaCompiler compiler,
                                                      ComputeCapability device,
                                                      std::span<const fs::path> includes) {
  CudaReader reader(compiler, device, includes);
  auto read = reader.read_all(options);
  if (auto* const accepted = std::get_if<CudaOptions>(&read)) {
    accepted->flags.push_back("--gpu-architecture=" + reader.architecture());
  }
  return read;
}

}  // namespace assay::compile
