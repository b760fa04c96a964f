#include "compile/simt_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "compile/option_rules.hpp"

namespace assay::compile {
namespace {

enum class Meaning : std::uint8_t {
  define,
  undefine,
  include,
  optimize,
  standard,
  fast_math,
  warning,
  silence,       // no warnings
  host_options,  // a comma-separated list for the host compiler
  library,
  already,   // always so here
  gpu_only,  // no effect here
};

using Rule = OptionRule<Meaning>;
using Value = OptionValue;

// A longer name stands before any shorter one that it begins with.
constexpr auto kRules = std::to_array<Rule>({
    {"--define-macro", Value::required, Meaning::define},
    {"--undefine-macro", Value::required, Meaning::undefine},
    {"--include-path", Value::required, Meaning::include},
    {"--optimize", Value::required, Meaning::optimize},
    {"--std", Value::required, Meaning::standard},
    {"-std", Value::required, Meaning::standard},
    {"--use_fast_math", Value::none, Meaning::fast_math},
    {"-use_fast_math", Value::none, Meaning::fast_math},
    {"-ffast-math", Value::none, Meaning::fast_math},
    {"--disable-warnings", Value::none, Meaning::silence},
    {"-w", Value::none, Meaning::silence},
    {"--compiler-options", Value::required, Meaning::host_options},
    {"-Xcompiler", Value::required, Meaning::host_options},
    {"-fPIC", Value::none, Meaning::already},
    {"-fpic", Value::none, Meaning::already},
    {"-shared", Value::none, Meaning::already},
    {"--shared", Value::none, Meaning::already},
    {"-m64", Value::none, Meaning::already},
    {"--expt-relaxed-constexpr", Value::none, Meaning::already},
    {"-expt-relaxed-constexpr", Value::none, Meaning::already},
    {"--expt-extended-lambda", Value::none, Meaning::already},
    {"-expt-extended-lambda", Value::none, Meaning::already},
    {"--extended-lambda", Value::none, Meaning::already},
    {"-extended-lambda", Value::none, Meaning::already},
    {"--gpu-architecture", Value::required, Meaning::gpu_only},
    {"-arch", Value::required, Meaning::gpu_only},
    {"--gpu-code", Value::required, Meaning::gpu_only},
    {"-code", Value::required, Meaning::gpu_only},
    {"--generate-code", Value::required, Meaning::gpu_only},
    {"-gencode", Value::required, Meaning::gpu_only},
    {"--maxrregcount", Value::required, Meaning::gpu_only},
    {"-maxrregcount", Value::required, Meaning::gpu_only},
    {"--ptxas-options", Value::required, Meaning::gpu_only},
    {"-Xptxas", Value::required, Meaning::gpu_only},
    {"--ftz", Value::required, Meaning::gpu_only},
    {"-ftz", Value::required, Meaning::gpu_only},
    {"--prec-div", Value::required, Meaning::gpu_only},
    {"-prec-div", Value::required, Meaning::gpu_only},
    {"--prec-sqrt", Value::required, Meaning::gpu_only},
    {"-prec-sqrt", Value::required, Meaning::gpu_only},
    {"--fmad", Value::required, Meaning::gpu_only},
    {"-fmad", Value::required, Meaning::gpu_only},
    {"--relocatable-device-code", Value::required, Meaning::gpu_only},
    {"-rdc", Value::required, Meaning::gpu_only},
    {"--threads", Value::required, Meaning::gpu_only},
    {"--split-compile", Value::required, Meaning::gpu_only},
    {"--resource-usage", Value::none, Meaning::gpu_only},
    {"-res-usage", Value::none, Meaning::gpu_only},
    {"--extra-device-vectorization", Value::none, Meaning::gpu_only},
    {"-extra-device-vectorization", Value::none, Meaning::gpu_only},
    {"--generate-line-info", Value::none, Meaning::gpu_only},
    {"-lineinfo", Value::none, Meaning::gpu_only},
    {"--device-debug", Value::none, Meaning::gpu_only},
    {"--device-as-default-execution-space", Value::none, Meaning::gpu_only},
    {"-default-device", Value::none, Meaning::gpu_only},
    {"--restrict", Value::none, Meaning::gpu_only},
    {"-restrict", Value::none, Meaning::gpu_only},
    {"--debug", Value::none, Meaning::gpu_only},
    {"-g", Value::none, Meaning::gpu_only},
    {"-G", Value::none, Meaning::gpu_only},
    {"-D", Value::either, Meaning::define},
    {"-U", Value::either, Meaning::undefine},
    {"-I", Value::either, Meaning::include},
    {"-O", Value::joined, Meaning::optimize},
    {"-W", Value::joined, Meaning::warning},
    {"-l", Value::either, Meaning::library},
});

constexpr std::array kStandards = {"c++03", "c++11", "c++14", "c++17", "c++20", "c++23"};

bool is_warning_name(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '=';
  });
}

class SimtReader final : public OptionReader<Meaning, AcceptedOptions> {
 public:
  SimtReader() : OptionReader(kRules) {}

 private:
  void apply(const Rule& rule, std::string_view value, std::string_view option) override {
    switch (rule.meaning) {
      case Meaning::define:
        if (!is_macro(value)) return refuse(option, "does not name a macro");
        return define(value);
      case Meaning::undefine:
        if (!is_macro(value)) return refuse(option, "does not name a macro");
        accepted_.macros += fmt::format("#undef {}\n", value);
        return;
      case Meaning::include:
        return include(value, option);
      case Meaning::optimize:
        if (value.size() != 1 || value < "0" || value > "3") {
          return refuse(option, "is not one of -O0 to -O3");
        }
        return pass(fmt::format("-O{}", value));
      case Meaning::standard:
        if (std::ranges::find(kStandards, value) == kStandards.end()) {
          return refuse(option, "is not a standard known here (c++03 to c++23)");
        }
        // An older standard would not compile our own headers; its programs are fine as C++20.
        if (value == "c++23") return pass("-std=c++23");
        if (value != "c++20") note(option, "is read as C++20 on the cpu device");
        return;
      case Meaning::fast_math:
        // Not -ffast-math: a GPU's fast mode still knows NaN and infinity.
        return note(option, "has no effect: the cpu device computes at full precision");
      case Meaning::warning:
        if (!is_warning_name(value)) return refuse(option, "would pass options to other programs");
        return pass(std::string(option));
      case Meaning::silence:
        return pass("-w");
      case Meaning::host_options:
        return host_options(value);
      case Meaning::library:
        if (!is_cuda_library(value)) {
          return refuse(option, "names a library that is not available here");
        }
        return note(option, "is part of the cpu device already");
      case Meaning::already:
        return;
      case Meaning::gpu_only:
        return note(option, "has no effect on the cpu device");
    }
  }

  /// NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE.
  void define(std::string_view macro) {
    const std::size_t equals = macro.find('=');
    const bool bare = equals == std::string_view::npos;
    accepted_.macros += fmt::format("#define {} {}\n", macro.substr(0, equals),
                                    bare ? "1" : macro.substr(equals + 1));
  }

  void include(std::string_view path, std::string_view option) {
    if (path.find("cuda") != std::string_view::npos) {
      return note(option, "has no effect: the cpu device brings its own CUDA headers");
    }
    if (path.starts_with("/usr/include") && path.find("..") == std::string_view::npos) {
      return pass(fmt::format("-I{}", path));
    }
    refuse(option, "names a directory outside what a build may see (/usr/include)");
  }

  void host_options(std::string_view list) {
    std::vector<std::string> parts;
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      parts.emplace_back(list.substr(0, comma));
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    read(parts);
  }
};

}  // namespace

std::variant<AcceptedOptions, RefusedOption> simt_options(std::span<const std::string> options) {
  SimtReader reader;
  return reader.read_all(options);
}

}  // namespace assay::compile
